import { jsonReply, type Reply } from '../core/reply.ts'
import type { ExtractionChoices } from './choices.ts'

/** Every reason for which the emulator refuses a request. @public */
export type RefusalKind = DocumentedRefusal | UndocumentedRefusal

/** What the service's documentation gives a status for. @public */
export type DocumentedRefusal =
  | 'invalid-schema'
  | 'unsupported-file-type'
  | 'schema-and-blueprint'
  | 'key-missing'
  | 'key-invalid'
  | 'job-not-found'
  | 'file-too-large'
  | 'page-quota'
  | 'page-count'
  | 'request-rate'
  | 'server-error'

const DOCUMENTED_STATUS: Readonly<Record<DocumentedRefusal, number>> = {
  'invalid-schema': 400,
  'unsupported-file-type': 400,
  'schema-and-blueprint': 400,
  'key-missing': 401,
  'key-invalid': 401,
  'job-not-found': 404,
  'file-too-large': 413,
  'page-quota': 429,
  'page-count': 429,
  'request-rate': 429,
  'server-error': 500,
}

/** What the service's documentation gives no status for. @public */
export type UndocumentedRefusal =
  | 'request-refused'
  | 'body-too-large'
  | 'route-unknown'
  | 'method-unknown'
  | 'webhook-not-https'
  | 'boolean-text-unknown'
  | 'pipeline-unknown'
  | 'process-blueprint-unknown'
  | 'process-blueprint-without-schema'
  | 'blueprint-not-found'
  | 'ground-truth-length'
  | 'optimization-not-found'
  | 'optimized-schema-not-ready'
  | 'resume-unreadable'
  | 'resume-not-failed'
  | 'preview-not-found'

/** What a refusal is about, for its words. @public */
export interface RefusalFacts {
  /** What was asked for or sent, where one value matters. */
  value?: string
  /** Each thing that is wrong. */
  reasons?: readonly string[]
  /** A limit that was passed. */
  limit?: number
  /** What was counted against the limit. */
  count?: number
  /** The plan's name as it is shown. */
  plan?: string
}

/** The parts of the choices that refusals are made of. */
type RefusalChoices = Pick<ExtractionChoices, 'statuses' | 'wording'>

/** The status of a refusal: the documented one, or the chosen one where none is documented. */
export function refusalStatus(choices: RefusalChoices, kind: RefusalKind): number {
  return isDocumented(kind) ? DOCUMENTED_STATUS[kind] : choices.statuses[kind]
}

function isDocumented(kind: RefusalKind): kind is DocumentedRefusal {
  return Object.hasOwn(DOCUMENTED_STATUS, kind)
}

/** Refuses with a text in `detail`. */
export function refuse(choices: RefusalChoices, kind: RefusalKind, facts: RefusalFacts = {}): Reply {
  const reply = jsonReply(refusalStatus(choices, kind), { detail: choices.wording[kind](facts) })
  return kind === 'page-quota' || kind === 'page-count' || kind === 'request-rate'
    ? { ...reply, rateMeaning: kind }
    : reply
}
