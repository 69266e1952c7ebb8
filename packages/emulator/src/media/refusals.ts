import { jsonReply, type Reply } from '../core/reply.ts'
import type { MediaChoices } from './choices.ts'

/** Every reason for which the emulator of the media service refuses a request. @public */
export type MediaRefusalKind = DocumentedMediaRefusal | UndocumentedMediaRefusal

/** What the service's documentation gives a status for. @public */
export type DocumentedMediaRefusal = 'request-refused' | 'input-refused' | 'key-invalid' | 'daily-quota'

const DOCUMENTED_STATUS: Readonly<Record<DocumentedMediaRefusal, number>> = {
  'request-refused': 400,
  'input-refused': 400,
  'key-invalid': 401,
  'daily-quota': 429,
}

/** What the service's documentation gives no status for. @public */
export type UndocumentedMediaRefusal =
  | 'key-missing'
  | 'body-too-large'
  | 'route-unknown'
  | 'method-unknown'
  | 'server-error'
  | 'monthly-cap'
  | 'credits-exhausted'
  | 'task-not-found'
  | 'avatar-not-found'
  | 'avatar-incomplete'
  | 'avatar-image-fixed'
  | 'documents-unknown'
  | 'knowledge-too-large'
  | 'document-not-found'
  | 'document-unreadable'
  | 'session-not-found'
  | 'session-refused'
  | 'session-not-ready'
  | 'session-consumed'
  | 'usage-unreadable'
  | 'output-not-found'
  | 'output-expired'
  | 'output-signature'
  | 'upload-not-found'
  | 'upload-expired'
  | 'upload-empty'
  | 'upload-too-large'

/** What a refusal is about, for its words. @public */
export interface MediaRefusalFacts {
  /** What was asked for or sent, where one value matters. */
  value?: string
  /** Each thing that is wrong. */
  reasons?: readonly string[]
  /** A limit that was passed. */
  limit?: number
  /** What was counted against the limit. */
  count?: number
}

/** The parts of the choices that refusals are made of. */
type RefusalChoices = Pick<MediaChoices, 'statuses' | 'wording' | 'errorBody'>

/** Refuses: the documented status, or the chosen one where none is documented; words and shape are chosen. */
export function refuse(
  choices: RefusalChoices,
  kind: MediaRefusalKind,
  facts: MediaRefusalFacts = {},
  headers?: Readonly<Record<string, string>>,
): Reply {
  const status = isDocumented(kind) ? DOCUMENTED_STATUS[kind] : choices.statuses[kind]
  const reply = jsonReply(
    status,
    choices.errorBody({ kind, status, message: choices.wording[kind](facts) }),
    headers,
  )
  return kind === 'daily-quota' ? { ...reply, rateMeaning: 'daily-generations' } : reply
}

function isDocumented(kind: MediaRefusalKind): kind is DocumentedMediaRefusal {
  return Object.hasOwn(DOCUMENTED_STATUS, kind)
}
