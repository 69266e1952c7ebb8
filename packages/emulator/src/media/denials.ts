import { COMMON_DENIALS, Denials, statusesOf, type DenialTable } from '../core/denials.ts'

/** The facts that an error's message is based on. @public */
export interface MediaDenialFacts {
  /** The status of the session, or the reason why the session can't be created. */
  readonly value?: string
  /** All problems that were found. */
  readonly reasons?: readonly string[]
  /** The limit that was exceeded. */
  readonly limit?: number
  /** How long until the same request can succeed, in milliseconds. */
  readonly waitMs?: number
  /** The number that was counted against the limit. */
  readonly count?: number
}

/** The errors with a documented status. */
const DOCUMENTED = {
  'request-rejected': [400, ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}.`],
  'input-rejected': [400, ({ reasons = [] }) => `The request is rejected: ${reasons.join('; ')}.`],
  'key-invalid': [401, 'The API secret is invalid.'],
  'daily-quota': [
    429,
    ({ limit }) =>
      `The daily quota is exceeded: ${limit} generations in the last 24 hours. Retry when the oldest of these generations is more than 24 hours old.`,
  ],
} as const satisfies DenialTable<MediaDenialFacts>

/** The errors whose status is undocumented. The statuses here are the emulator's defaults. */
const CHOSEN = {
  ...COMMON_DENIALS,
  'key-missing': [401, 'The API secret is missing.'],
  'server-error': [500, 'The server failed to respond.'],
  'monthly-cap': [
    403,
    ({ limit, count }) =>
      `The monthly cap of ${limit} USD would be exceeded: ${count} USD were spent this month.`,
  ],
  'credits-exhausted': [
    402,
    ({ limit, count }) => `Not enough credits: the generation costs ${count}, and ${limit} are left.`,
  ],
  'task-not-found': [404, 'The task was not found.'],
  'avatar-not-found': [404, 'The avatar was not found.'],
  'avatar-incomplete': [400, ({ reasons = [] }) => `An avatar needs these fields: ${reasons.join(', ')}.`],
  'avatar-image-fixed': [400, "The referenceImage of an avatar can't be changed."],
  'documents-unknown': [400, ({ reasons = [] }) => `These documents do not exist: ${reasons.join(', ')}.`],
  'knowledge-too-large': [
    400,
    ({ limit, count }) =>
      `The documents of an avatar may have at most ${limit} tokens in total, but these have ${count}.`,
  ],
  'document-not-found': [404, 'The document was not found.'],
  'document-unreadable': [
    400,
    'A document requires text. The emulator reads the text from the field `content` or `text`.',
  ],
  'session-not-found': [404, 'The session was not found.'],
  'session-rejected': [400, ({ value }) => `The session can't be created: ${value}.`],
  'session-not-ready': [
    409,
    ({ value }) =>
      `The status of the session is ${value}. The credentials can only be obtained while the session is READY.`,
  ],
  'session-consumed': [409, 'The credentials of this session were already obtained. Create a new session.'],
  'usage-unreadable': [400, 'The time range of the usage query is invalid.'],
  'output-not-found': [404, 'The file was not found.'],
  'output-expired': [403, 'The link has expired.'],
  'output-signature': [403, 'The signature of the link is invalid.'],
  'upload-not-found': [404, 'The upload was not found.'],
  'upload-expired': [410, 'The upload has expired.'],
  'upload-empty': [400, 'The upload is empty.'],
  'upload-too-large': [413, ({ limit }) => `An upload may be at most ${limit} MB.`],
} as const satisfies DenialTable<MediaDenialFacts>

export const CHOSEN_STATUSES = statusesOf(CHOSEN)

/** The errors that the media service responds with. @public */
export type MediaDenialKind = keyof typeof DOCUMENTED | keyof typeof CHOSEN

export const { deny } = new Denials<MediaDenialKind, MediaDenialFacts>({
  service: 'media',
  documented: DOCUMENTED,
  chosen: CHOSEN,
  toBody: (error) => ({ error }),
  rateMeanings: { 'daily-quota': 'daily-generations' },
})
