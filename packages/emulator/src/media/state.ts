import { Background } from '../core/background.ts'
import type { Reply } from '../core/reply.ts'
import { callerOf, type Call, type Handler } from '../core/service.ts'
import { Scripts } from '../core/scripts.ts'
import type { SharedTools } from '../core/service-module.ts'
import type { Specification } from '../core/specification.ts'
import { readFinalStatuses, readTransitions } from '../core/transitions.ts'
import type { MediaChoices } from './choices.ts'
import type { InputTools } from './inputs/check-input.ts'
import { readModels } from './model-table.ts'
import type { Avatar, KnowledgeDocument, MediaOrganization } from './model.ts'
import { Organizations } from './organizations.ts'
import { Outputs } from './outputs/outputs.ts'
import { Sessions } from './sessions.ts'
import { Submissions } from './submissions.ts'
import { checkScript, type TaskScript } from './task-scripts.ts'
import { Tasks } from './tasks.ts'
import { Uploads } from './uploads.ts'

export type MediaHandler = Handler<MediaOrganization>

export type MediaCall = Call<MediaOrganization>

export function createContext(
  choices: MediaChoices,
  specification: Specification,
  allowLocalInputs: boolean,
  tools: SharedTools,
) {
  const { clock, random, log } = tools
  const shared = { clock, random, choices, log, background: new Background('media', tools) }
  const operationIds = specification.operations.map(({ operationId }) => operationId)
  const scripts = new Scripts<TaskScript>((script) => checkScript(script, operationIds))
  const organizations = new Organizations(shared)
  const outputs = new Outputs(shared)
  const uploads = new Uploads(shared)
  return {
    ...shared,
    models: readModels(specification),
    organizations,
    scripts,
    tasks: new Tasks({
      ...shared,
      scripts,
      organizations,
      outputs,
      checkMove: readTransitions(specification, 'TaskStatus', choices.taskMoves.further),
      finalStatuses: readFinalStatuses(specification, 'getTask'),
    }),
    submissions: new Submissions(),
    outputs,
    uploads,
    inputs: { choices, allowLocalInputs, uploads } satisfies InputTools,
    avatars: new Map<string, Avatar>(),
    documents: new Map<string, KnowledgeDocument>(),
    sessions: new Sessions({
      ...shared,
      checkMove: readTransitions(specification, 'RealtimeSessionStatus', choices.session.furtherMoves),
    }),
  }
}

export type MediaContext = ReturnType<typeof createContext>

type OwnedHandler<T> = (found: T, call: MediaCall) => Reply

/** Creates handlers for operations on an object, such as an avatar, that belongs to the caller's organization. */
export function forOwner<T extends { organization: string }>(
  store: { get(id: string): T | undefined },
  missing: () => Reply,
): (handle: OwnedHandler<T>) => MediaHandler {
  return (handle) => ({
    handle(call) {
      const found = store.get(call.parameters['id'] ?? '')
      return found?.organization === callerOf(call).name ? handle(found, call) : missing()
    },
  })
}

/** Returns the total number of tokens in an avatar's documents. */
export function tokensOf(
  { organization, documentIds }: Pick<Avatar, 'organization' | 'documentIds'>,
  documents: ReadonlyMap<string, KnowledgeDocument>,
): number {
  const known = [...new Set(documentIds)].map((id) => documents.get(id))
  return known.reduce(
    (sum, document) => sum + (document?.organization === organization ? document.tokens : 0),
    0,
  )
}
