import { denialReply, type DenialChoices, type DenialDefinition } from '../core/denials.ts'
import type { Reply } from '../core/reply.ts'

/** The errors without a documented status, and the emulator's own. */
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

/** The facts about a problem, for its message. @public */
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

/** The code of an error or a problem. */
export const codeOf = (kind: string): string => DOCUMENTED_CODES[kind] ?? kind

/** The words for each error. */
export const MESSAGES: Readonly<Record<SpeechDenial, (facts: SpeechFacts) => string>> = {
  'key-missing': () =>
    'A credential is required: Authorization with Token and an API key, or Bearer and a JWT.',
  'key-invalid': () => 'The credential is not valid.',
  'token-expired': () => 'The JWT has expired. Request a new one before each connection.',
  'too-many-connections': ({ limit }) =>
    `Too many connections are open at the same time; ${limit} are allowed.`,
  'query-rejected': ({ reasons = [] }) => `The options of the URL are invalid: ${reasons.join('; ')}.`,
  'request-rejected': ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}.`,
  'body-too-large': ({ limit }) => `The body is larger than ${limit} bytes.`,
  'route-unknown': () => 'Nothing was found at this address.',
  'method-unknown': ({ reasons = [] }) => `This address only accepts ${reasons.join(', ')}.`,
  'audio-mismatch': () => 'The encoding does not match the audio.',
  'empty-text': () => 'The text is empty.',
  'character-rate': ({ limit }) => `More than ${limit} characters were sent within a minute. Slow down.`,
  'server-error': () => 'The server failed to respond.',
}

const DEFINITION: DenialDefinition<SpeechDenial, SpeechFacts> = {
  service: 'speech',
  documented: { 'too-many-connections': 429 },
  messages: MESSAGES,
  toBody: (message, kind) => ({ code: codeOf(kind), message }),
  rateMeanings: { 'too-many-connections': 'connections' },
}

/** Responds to a REST call or an upgrade with an error. */
export function deny(
  choices: DenialChoices<SpeechDenial, SpeechFacts>,
  kind: SpeechDenial,
  facts: SpeechFacts = {},
): Reply {
  return denialReply(DEFINITION, choices, { kind, facts: { ...facts, code: codeOf(kind) } })
}
