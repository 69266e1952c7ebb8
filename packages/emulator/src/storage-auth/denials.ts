import { COMMON_DENIALS, Denials, statusesOf, type DenialTable } from '../core/denials.ts'
import { LOGIN_MESSAGES } from './limits.ts'

/** The facts that an error's message is based on. @public */
export interface StorageDenialFacts {
  /** All problems that were found; for `method-unknown`, the methods that the URL accepts. */
  readonly reasons?: readonly string[]
  /** The limit that was exceeded. */
  readonly limit?: number
  /** How long until the same request can succeed, in milliseconds. */
  readonly waitMs?: number
  /** Why a token, a code or a key isn't valid. */
  readonly cause?: 'unknown' | 'expired' | 'revoked' | 'used'
}

const CAUSES = {
  unknown: 'is unknown',
  expired: 'has expired',
  revoked: 'was already used, or its session has ended',
  used: 'was already used',
} as const

/** The errors with a documented status. */
const DOCUMENTED = {
  'wrong-credentials': [401, LOGIN_MESSAGES.wrongCredentials],
  'no-password': [401, LOGIN_MESSAGES.noPassword],
  locked: [
    401,
    ({ waitMs = 0 }) => {
      const minutes = Math.ceil(waitMs / 60_000)
      return `${LOGIN_MESSAGES.lockedBeginning}. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
    },
  ],
  'invalid-body': [400, ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}`],
  'refresh-token-rejected': [401, ({ cause = 'unknown' }) => `The refresh token ${CAUSES[cause]}.`],
  'code-rejected': [401, ({ cause = 'unknown' }) => `The code ${CAUSES[cause]}.`],
  'request-rate': [429, ({ limit }) => `Too many requests: more than ${limit} in a minute.`],
  'server-error': [500, 'The server failed to respond.'],
} as const satisfies DenialTable<StorageDenialFacts>

/** The errors whose status isn't documented. The statuses in this table are the emulator's defaults. */
const CHOSEN = {
  ...COMMON_DENIALS,
  'key-request-rejected': [400, ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}`],
  'credential-missing': [401, 'A credential is missing.'],
  'access-token-rejected': [401, 'The access token is invalid.'],
  'api-key-rejected': [401, ({ cause }) => `The API key is ${cause}.`],
  'api-key-on-key-management': [
    403,
    'Managing API keys requires an access token. Send an access token instead of the API key.',
  ],
  'api-key-not-found': [404, 'The API key does not exist.'],
  'expiry-in-the-past': [400, 'expiresAt is in the past.'],
  'organization-out-of-scope': [403, 'The API key has no access to this organization.'],
} as const satisfies DenialTable<StorageDenialFacts>

export const CHOSEN_STATUSES = statusesOf(CHOSEN)

/** The errors that the storage authentication service responds with. @public */
export type StorageDenialKind = keyof typeof DOCUMENTED | keyof typeof CHOSEN

export const { deny, messageOf } = new Denials<StorageDenialKind, StorageDenialFacts>({
  service: 'storage-auth',
  documented: DOCUMENTED,
  chosen: CHOSEN,
  // For a lock, only the beginning of the message is documented.
  documentedMessages: {
    'wrong-credentials': LOGIN_MESSAGES.wrongCredentials,
    'no-password': LOGIN_MESSAGES.noPassword,
    locked: LOGIN_MESSAGES.lockedBeginning,
  },
  toBody: (message) => ({ message }),
  rateMeanings: { 'request-rate': 'request-rate' },
})
