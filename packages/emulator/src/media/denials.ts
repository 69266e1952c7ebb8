import { denialReply, type DenialChoices, type DenialDefinition } from '../core/denials.ts'
import type { Reply } from '../core/reply.ts'

/** The errors with a documented status. */
const DOCUMENTED_STATUSES = {
  'request-rejected': 400,
  'input-rejected': 400,
  'key-invalid': 401,
  'daily-quota': 429,
} as const

/** The errors without a documented status, with the emulator's default statuses. */
export const CHOSEN_STATUSES = {
  'key-missing': 401,
  'body-too-large': 413,
  'route-unknown': 404,
  'method-unknown': 405,
  'server-error': 500,
  'monthly-cap': 403,
  'credits-exhausted': 402,
  'task-not-found': 404,
  'avatar-not-found': 404,
  'avatar-incomplete': 400,
  'avatar-image-fixed': 400,
  'documents-unknown': 400,
  'knowledge-too-large': 400,
  'document-not-found': 404,
  'document-unreadable': 400,
  'session-not-found': 404,
  'session-rejected': 400,
  'session-not-ready': 409,
  'session-consumed': 409,
  'usage-unreadable': 400,
  'output-not-found': 404,
  'output-expired': 403,
  'output-signature': 403,
  'upload-not-found': 404,
  'upload-expired': 410,
  'upload-empty': 400,
  'upload-too-large': 413,
}

/** The errors that the media service responds with. @public */
export type MediaDenialKind = keyof typeof DOCUMENTED_STATUSES | keyof typeof CHOSEN_STATUSES

/** The facts that an error's message is about. @public */
export interface MediaDenialFacts {
  /** The invalid value, if the error is about one. */
  readonly value?: string
  /** Everything that is wrong. */
  readonly reasons?: readonly string[]
  /** The limit that was exceeded. */
  readonly limit?: number
  /** How long until the same request can succeed, in milliseconds. */
  readonly waitMs?: number
  /** The number that was counted against the limit. */
  readonly count?: number
}

const DEFINITION: DenialDefinition<MediaDenialKind, MediaDenialFacts> = {
  service: 'media',
  documentedStatuses: DOCUMENTED_STATUSES,
  messages: {
    'request-rejected': ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}.`,
    'input-rejected': ({ reasons = [] }) => `An input can't be used: ${reasons.join('; ')}.`,
    'key-invalid': () => 'The API secret is invalid.',
    'daily-quota': ({ limit }) =>
      `The daily quota is exceeded: ${limit} generations in the last 24 hours. Retry when the oldest is more than 24 hours old.`,
    'key-missing': () => 'The API secret is missing.',
    'body-too-large': ({ limit }) => `The body is larger than ${limit} bytes.`,
    'route-unknown': () => 'Nothing was found at this URL.',
    'method-unknown': ({ reasons = [] }) => `This URL only accepts ${reasons.join(', ')}.`,
    'server-error': () => 'The server failed to respond.',
    'monthly-cap': ({ limit, count }) =>
      `The monthly cap of ${limit} USD would be exceeded: ${count} USD were spent this month.`,
    'credits-exhausted': ({ limit, count }) =>
      `Not enough credits: the generation costs ${count}, and ${limit} are left.`,
    'task-not-found': () => 'The task was not found.',
    'avatar-not-found': () => 'The avatar was not found.',
    'avatar-incomplete': ({ reasons = [] }) => `An avatar needs ${reasons.join(', ')}.`,
    'avatar-image-fixed': () => "The referenceImage of an avatar can't be changed.",
    'documents-unknown': ({ reasons = [] }) => `These documents do not exist: ${reasons.join(', ')}.`,
    'knowledge-too-large': ({ limit, count }) =>
      `The documents of an avatar may have at most ${limit} tokens; these have ${count}.`,
    'document-not-found': () => 'The document was not found.',
    'document-unreadable': () => 'A document requires text. The emulator reads it from content or text.',
    'session-not-found': () => 'The session was not found.',
    'session-rejected': ({ value }) => `The session can't be created: ${value}.`,
    'session-not-ready': ({ value }) => `The session is ${value}, not READY.`,
    'session-consumed': () => 'The credentials of this session were already obtained. Create a new session.',
    'usage-unreadable': () => "The range of days can't be read.",
    'output-not-found': () => 'The file was not found.',
    'output-expired': () => 'The link has expired.',
    'output-signature': () => 'The signature of the link is invalid.',
    'upload-not-found': () => 'The upload was not found.',
    'upload-expired': () => 'The upload has expired.',
    'upload-empty': () => 'The upload is empty.',
    'upload-too-large': ({ limit }) => `An upload may be at most ${limit} MB.`,
  },
  toBody: (error) => ({ error }),
  rateMeanings: { 'daily-quota': 'daily-generations' },
}

export function deny(
  choices: DenialChoices<MediaDenialKind, MediaDenialFacts>,
  kind: MediaDenialKind,
  facts: MediaDenialFacts = {},
): Reply {
  return denialReply(DEFINITION, choices, { kind, facts })
}
