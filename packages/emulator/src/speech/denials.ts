import { denialReply, type DenialChoices, type DenialDefinition } from '../core/denials.ts'
import type { Reply } from '../core/reply.ts'

/** The errors without a documented status, with the emulator's default statuses. */
export const CHOSEN_STATUSES = {
  'key-missing': 401,
  'key-invalid': 401,
  'token-expired': 401,
  'query-rejected': 400,
  'request-rejected': 400,
  'body-too-large': 413,
  'route-unknown': 404,
  'method-unknown': 405,
  'audio-mismatch': 400,
  'empty-text': 400,
  'character-rate': 400,
  'server-error': 500,
}

/** The errors of REST calls and upgrades. @public */
export type SpeechDenial = keyof typeof CHOSEN_STATUSES | 'too-many-connections'

/** The facts that an error's message is about. @public */
export interface SpeechFacts {
  /** Everything that is wrong. */
  readonly reasons?: readonly string[]
  /** The limit that was exceeded. */
  readonly limit?: number
  /** The documented code, such as `DATA-0000`, or the kind of the error. */
  readonly code?: string
}

/** The documented codes. */
const DOCUMENTED_CODES: Readonly<Record<string, string>> = {
  'audio-mismatch': 'DATA-0000',
  'character-rate': 'DATA-0001',
  'empty-text': '400',
  'too-many-connections': '429',
}

/** Returns the code of an error: the documented one, or its kind. */
export const codeOf = (kind: string): string => DOCUMENTED_CODES[kind] ?? kind

/** The message of each error. */
export const MESSAGES: Readonly<Record<SpeechDenial, (facts: SpeechFacts) => string>> = {
  'key-missing': () =>
    'A credential is required. Send "Authorization: Token <API key>" or "Authorization: Bearer <JWT>".',
  'key-invalid': () => 'The credential is invalid.',
  'token-expired': () => 'The JWT has expired. Request a new one before each connection.',
  'too-many-connections': ({ limit }) =>
    `Too many connections are open at the same time; ${limit} are allowed.`,
  'query-rejected': ({ reasons = [] }) => `The options in the URL are invalid: ${reasons.join('; ')}.`,
  'request-rejected': ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}.`,
  'body-too-large': ({ limit }) => `The body is larger than ${limit} bytes.`,
  'route-unknown': () => 'Nothing was found at this URL.',
  'method-unknown': ({ reasons = [] }) => `This URL only accepts ${reasons.join(', ')}.`,
  'audio-mismatch': () => 'The encoding does not match the audio.',
  'empty-text': () => 'The text is empty.',
  'character-rate': ({ limit }) => `More than ${limit} characters were sent within a minute. Slow down.`,
  'server-error': () => 'The server failed to respond.',
}

const DEFINITION: DenialDefinition<SpeechDenial, SpeechFacts> = {
  service: 'speech',
  documentedStatuses: { 'too-many-connections': 429 },
  messages: MESSAGES,
  toBody: (message, kind) => ({ code: codeOf(kind), message }),
  rateMeanings: { 'too-many-connections': 'connections' },
}

/** Builds the reply for an error of a REST call or an upgrade. */
export function deny(
  choices: DenialChoices<SpeechDenial, SpeechFacts>,
  kind: SpeechDenial,
  facts: SpeechFacts = {},
): Reply {
  return denialReply(DEFINITION, choices, { kind, facts: { ...facts, code: codeOf(kind) } })
}
