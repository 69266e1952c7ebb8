import { jsonReply, type Reply } from '../core/reply.ts'
import type { StorageAuthChoices } from './choices.ts'

/** Every reason for which the emulator of the storage authentication service refuses a request. @public */
export type StorageRefusalKind = DocumentedStorageRefusal | UndocumentedStorageRefusal

/** What the service's documentation gives a status for. @public */
export type DocumentedStorageRefusal =
  | 'invalid-body'
  | 'wrong-credentials'
  | 'no-password'
  | 'locked'
  | 'refresh-token-refused'
  | 'code-refused'
  | 'request-rate'
  | 'server-error'

const DOCUMENTED_STATUS: Readonly<Record<DocumentedStorageRefusal, number>> = {
  'invalid-body': 400,
  'wrong-credentials': 401,
  'no-password': 401,
  locked: 401,
  'refresh-token-refused': 401,
  'code-refused': 401,
  'request-rate': 429,
  'server-error': 500,
}

/** The messages that the service's documentation gives; the one of a lock is only the beginning. */
export const DOCUMENTED_MESSAGE = {
  'wrong-credentials': 'Invalid email or password',
  'no-password': 'Password is not set for this user',
  locked: 'Account is temporarily locked',
} as const

/** What the service's documentation gives no status for. @public */
export type UndocumentedStorageRefusal =
  | 'key-request-refused'
  | 'body-too-large'
  | 'route-unknown'
  | 'method-unknown'
  | 'credential-missing'
  | 'access-token-refused'
  | 'api-key-refused'
  | 'api-key-on-key-management'
  | 'api-key-not-found'
  | 'expiry-in-the-past'
  | 'organization-out-of-scope'

/** What a refusal is about, for its words. @public */
export interface StorageRefusalFacts {
  /** Each thing that is wrong. */
  reasons?: readonly string[]
  /** A limit that was passed. */
  limit?: number
  /** How long a lock still lasts, in milliseconds. */
  waitMs?: number
  /** Why a token, a code or a key is refused. */
  cause?: 'unknown' | 'expired' | 'revoked' | 'used'
}

/** The parts of the choices that refusals are made of. */
type RefusalChoices = Pick<StorageAuthChoices, 'statuses' | 'wording' | 'lockedMessageEnd' | 'errorBody'>

/** The status of a refusal: the documented one, or the chosen one where none is documented. */
export function refusalStatus(choices: RefusalChoices, kind: StorageRefusalKind): number {
  return isDocumented(kind) ? DOCUMENTED_STATUS[kind] : choices.statuses[kind]
}

/** The message of a refusal: the documented one, or the chosen one where none is documented. */
export function refusalMessage(
  choices: RefusalChoices,
  kind: StorageRefusalKind,
  facts: StorageRefusalFacts = {},
): string {
  if (kind === 'locked') return DOCUMENTED_MESSAGE.locked + choices.lockedMessageEnd(facts.waitMs ?? 0)
  if (kind === 'wrong-credentials' || kind === 'no-password') return DOCUMENTED_MESSAGE[kind]
  return choices.wording[kind](facts)
}

/** Refuses a request. */
export function refuse(
  choices: RefusalChoices,
  kind: StorageRefusalKind,
  facts: StorageRefusalFacts = {},
): Reply {
  const body = choices.errorBody({ kind, message: refusalMessage(choices, kind, facts) })
  const reply = jsonReply(refusalStatus(choices, kind), body)
  return kind === 'request-rate' ? { ...reply, rateMeaning: kind } : reply
}

function isDocumented(kind: StorageRefusalKind): kind is DocumentedStorageRefusal {
  return Object.hasOwn(DOCUMENTED_STATUS, kind)
}
