import { Background } from '../core/background.ts'
import type { Clock } from '../core/clock.ts'
import { EmulatorError } from '../core/errors.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import type { RandomSource } from '../core/random.ts'
import type { Call, Handler } from '../core/service.ts'
import type { SharedTools } from '../core/service-module.ts'
import type { Specification } from '../core/specification.ts'
import { readFinalStatuses, readTransitions, withFurtherMoves } from '../core/transitions.ts'
import type { MediaChoices } from './choices.ts'
import type { InputTools } from './inputs/check-input.ts'
import { Knowledge } from './knowledge.ts'
import { readModels, type ModelTable } from './model-table.ts'
import type { MediaOrganization } from './model.ts'
import { Organizations } from './organizations.ts'
import { Outputs } from './outputs/outputs.ts'
import { Sessions } from './sessions.ts'
import { Submissions } from './submissions.ts'
import { TaskScripts } from './task-scripts.ts'
import { Tasks } from './tasks.ts'
import { limitsOf } from './tiers.ts'
import { Uploads } from './uploads.ts'

/** The state of the media service, for its handlers and its control interface. */
export interface MediaContext {
  readonly clock: Clock
  readonly random: RandomSource
  readonly choices: MediaChoices
  readonly models: ModelTable
  readonly organizations: Organizations
  readonly scripts: TaskScripts
  readonly tasks: Tasks
  readonly submissions: Submissions
  outputs: Outputs
  readonly uploads: Uploads
  readonly inputs: InputTools
  readonly knowledge: Knowledge
  readonly sessions: Sessions
}

export type MediaHandler = Handler<MediaOrganization>

export type MediaCall = Call<MediaOrganization>

export interface StateSettings {
  readonly choices: MediaChoices
  readonly specification: Specification
  readonly allowLocalInputs: boolean
}

export function createContext(settings: StateSettings, tools: SharedTools): MediaContext {
  const { choices, specification, allowLocalInputs } = settings
  const { clock, random, log } = tools
  const shared = { clock, random, choices, log, background: new Background('media', tools) }
  const scripts = new TaskScripts(
    random,
    specification.operations.map(({ operationId }) => operationId),
  )
  const organizations = new Organizations(shared)
  const outputs = new Outputs(shared)
  const uploads = new Uploads(shared)
  const tasks = new Tasks({
    ...shared,
    scripts,
    checkMove: withFurtherMoves(readTransitions(specification, 'TaskStatus'), choices.taskMoves.further),
    finalStatuses: readFinalStatuses(specification, 'getTask'),
    concurrencyOf(name) {
      const organization = organizations.byName(name)
      return organization ? limitsOf(organization.tier, choices).concurrency : 0
    },
    charge: (task) => organizations.charge(task),
    refund: (task) => organizations.refund(task),
    createOutputs: (task) => outputs.create(task),
  })
  const sessionMoves = readTransitions(specification, 'RealtimeSessionStatus')
  return {
    ...shared,
    models: readModels(specification),
    organizations,
    scripts,
    tasks,
    submissions: new Submissions(),
    outputs,
    uploads,
    inputs: {
      choices,
      allowLocalInputs,
      findUpload: (uri, organization) => uploads.byUri(uri, organization),
    },
    knowledge: new Knowledge(shared),
    sessions: new Sessions({
      ...shared,
      checkMove: withFurtherMoves(sessionMoves, choices.session.furtherMoves),
    }),
  }
}

/** Returns the organization of a call. Every operation needs a secret. */
export function callerOf({ caller, operation }: MediaCall): MediaOrganization {
  if (!caller)
    throw new EmulatorError('handler-failed', `${operation.operationId} was called without a secret.`)
  return caller
}

/** Returns the JSON object in the body of a call, or an empty object. */
export function bodyOf({ body }: MediaCall): JsonObject {
  return body.kind === 'json' && isObject(body.value) ? body.value : {}
}
