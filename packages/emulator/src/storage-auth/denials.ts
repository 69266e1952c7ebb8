import { denialReply, chooseError, type DenialChoices, type DenialDefinition } from '../core/denials.ts'
import type { Reply } from '../core/reply.ts'
import { LOGIN_MESSAGES } from './limits.ts'

/** The errors with a documented status. */
const DOCUMENTED_STATUSES = {
  'invalid-body': 400,
  'wrong-credentials': 401,
  'no-password': 401,
  locked: 401,
  'refresh-token-rejected': 401,
  'code-rejected': 401,
  'request-rate': 429,
  'server-error': 500,
} as const

/** The errors without a documented status, with the emulator's default statuses. */
export const CHOSEN_STATUSES = {
  'key-request-rejected': 400,
  'body-too-large': 413,
  'route-unknown': 404,
  'method-unknown': 405,
  'credential-missing': 401,
  'access-token-rejected': 401,
  'api-key-rejected': 401,
  'api-key-on-key-management': 403,
  'api-key-not-found': 404,
  'expiry-in-the-past': 400,
  'organization-out-of-scope': 403,
}

/** The errors that the storage authentication service responds with. @public */
export type StorageDenialKind = keyof typeof DOCUMENTED_STATUSES | keyof typeof CHOSEN_STATUSES

/** The facts that an error's message is about. @public */
export interface StorageDenialFacts {
  /** Everything that is wrong; for `method-unknown`, the methods that the URL accepts. */
  readonly reasons?: readonly string[]
  /** The limit that was exceeded. */
  readonly limit?: number
  /** How long a lock or a limit lasts, in milliseconds. */
  readonly waitMs?: number
  /** Why a token, a code or a key isn't valid. */
  readonly cause?: 'unknown' | 'expired' | 'revoked' | 'used'
}

const CAUSES = {
  unknown: 'is unknown',
  expired: 'has expired',
  revoked: 'was already used',
  used: 'was already used',
} as const

/** The documented messages. For a lock, only the beginning is documented. */
const DOCUMENTED_MESSAGES = {
  'wrong-credentials': LOGIN_MESSAGES.wrongCredentials,
  'no-password': LOGIN_MESSAGES.noPassword,
  locked: LOGIN_MESSAGES.lockedBeginning,
} as const

const DEFINITION: DenialDefinition<StorageDenialKind, StorageDenialFacts> = {
  service: 'storage-auth',
  documentedStatuses: DOCUMENTED_STATUSES,
  documentedMessages: DOCUMENTED_MESSAGES,
  messages: {
    'wrong-credentials': () => DOCUMENTED_MESSAGES['wrong-credentials'],
    'no-password': () => DOCUMENTED_MESSAGES['no-password'],
    locked: ({ waitMs = 0 }) =>
      `${DOCUMENTED_MESSAGES.locked}. Try again in ${Math.ceil(waitMs / 60_000)} minutes.`,
    'invalid-body': ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}`,
    'refresh-token-rejected': ({ cause = 'unknown' }) => `The refresh token ${CAUSES[cause]}.`,
    'code-rejected': ({ cause = 'unknown' }) => `The code ${CAUSES[cause]}.`,
    'request-rate': ({ limit }) => `Too many requests: more than ${limit} in a minute.`,
    'server-error': () => 'The server failed to respond.',
    'key-request-rejected': ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}`,
    'body-too-large': ({ limit }) => `The body is larger than ${limit} bytes.`,
    'route-unknown': () => 'Nothing was found at this URL.',
    'method-unknown': ({ reasons = [] }) => `This URL only accepts ${reasons.join(', ')}.`,
    'credential-missing': () => 'A credential is missing.',
    'access-token-rejected': () => 'The access token is invalid.',
    'api-key-rejected': ({ cause }) => `The API key is ${cause}.`,
    'api-key-on-key-management': () =>
      'Managing API keys requires an access token. Send one instead of the API key.',
    'api-key-not-found': () => 'The API key does not exist.',
    'expiry-in-the-past': () => 'expiresAt is in the past.',
    'organization-out-of-scope': () => 'The API key has no access to this organization.',
  },
  toBody: (message) => ({ message }),
  rateMeanings: { 'request-rate': 'request-rate' },
}

type Choices = DenialChoices<StorageDenialKind, StorageDenialFacts>

export function deny(choices: Choices, kind: StorageDenialKind, facts: StorageDenialFacts = {}): Reply {
  return denialReply(DEFINITION, choices, { kind, facts })
}

/** Returns the message of an error, for a page. */
export function denialMessage(
  choices: Choices,
  kind: StorageDenialKind,
  facts: StorageDenialFacts = {},
): string {
  return chooseError(DEFINITION, choices, { kind, facts }).message
}
