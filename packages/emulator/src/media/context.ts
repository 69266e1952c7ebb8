import type { Clock } from '../core/clock.ts'
import { EmulatorError } from '../core/errors.ts'
import type { RandomSource } from '../core/random.ts'
import type { Call, Handler } from '../core/service.ts'
import { isObject, type JsonObject } from '../core/specification.ts'
import type { MediaChoices } from './choices.ts'
import type { InputTools } from './inputs/check-input.ts'
import type { Knowledge } from './knowledge.ts'
import type { ModelTable } from './model-table.ts'
import type { MediaOrganization } from './model.ts'
import type { Organizations } from './organizations.ts'
import type { Outputs } from './outputs/outputs.ts'
import type { Sessions } from './sessions.ts'
import type { Submissions } from './submissions.ts'
import type { Tasks } from './tasks.ts'
import type { Uploads } from './uploads.ts'

/** Everything that the handlers of the media service share. */
export interface MediaContext {
  clock: Clock
  random: RandomSource
  choices: MediaChoices
  models: ModelTable
  organizations: Organizations
  tasks: Tasks
  submissions: Submissions
  outputs: Outputs
  uploads: Uploads
  inputs: InputTools
  knowledge: Knowledge
  sessions: Sessions
}

/** A handler of the media service. */
export type MediaHandler = Handler<MediaOrganization>

/** A call of the media service. */
export type MediaCall = Call<MediaOrganization>

/** Who calls; every operation needs a secret. */
export function callerOf({ caller, operation }: MediaCall): MediaOrganization {
  if (!caller)
    throw new EmulatorError('handler-failed', `${operation.operationId} was called without a secret.`)
  return caller
}

/** The JSON object of a call; an empty one where there is none. */
export function bodyOf({ body }: MediaCall): JsonObject {
  return body.kind === 'json' && isObject(body.value) ? body.value : {}
}
