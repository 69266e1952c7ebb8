import { COMMON_DENIALS, Denials, messageIn, statusesOf, type DenialTable } from '../core/denials.ts'
import type { SocketProblem } from './model.ts'

/** The facts that an error's message is based on. @public */
export interface SpeechFacts {
  /** All problems that were found; for the error `method-unknown`, the HTTP methods that the URL accepts. */
  readonly reasons?: readonly string[]
  /** The limit that was exceeded. */
  readonly limit?: number
  /** The documented error code, such as `DATA-0000`. If no code is documented, the kind of the error. */
  readonly code?: string
}

/** The errors with a documented status. */
const DOCUMENTED = {
  'too-many-connections': [
    429,
    ({ limit }) => `Too many connections are open at the same time; ${limit} are allowed.`,
  ],
} as const satisfies DenialTable<SpeechFacts>

/** The errors whose status isn't documented. These statuses are the emulator's defaults. */
const CHOSEN = {
  ...COMMON_DENIALS,
  'key-missing': [
    401,
    'A credential is required. Send "Authorization: Token <API key>" or "Authorization: Bearer <JWT>".',
  ],
  'key-invalid': [401, 'The credential is invalid.'],
  'token-expired': [401, 'The JWT has expired. Request a new JWT before each connection.'],
  'query-rejected': [400, ({ reasons = [] }) => `The options in the URL are invalid: ${reasons.join('; ')}.`],
  'request-rejected': [400, ({ reasons = [] }) => `The request is invalid: ${reasons.join('; ')}.`],
  'audio-mismatch': [400, 'The encoding does not match the audio.'],
  'empty-text': [400, 'The text is empty.'],
  'character-rate': [
    400,
    ({ limit }) => `More than ${limit} characters were sent within a minute. Slow down.`,
  ],
  'server-error': [500, 'The server failed to respond.'],
} as const satisfies DenialTable<SpeechFacts>

export const CHOSEN_STATUSES = statusesOf(CHOSEN)

/** The errors of REST calls and WebSocket upgrades. @public */
export type SpeechDenial = keyof typeof CHOSEN | keyof typeof DOCUMENTED

const DOCUMENTED_CODES: Readonly<Record<string, string>> = {
  'audio-mismatch': 'DATA-0000',
  'character-rate': 'DATA-0001',
  'empty-text': '400',
  'too-many-connections': '429',
}

export const codeOf = (kind: string): string => DOCUMENTED_CODES[kind] ?? kind

const denials = new Denials<SpeechDenial, SpeechFacts>({
  service: 'speech',
  documented: DOCUMENTED,
  chosen: CHOSEN,
  toBody: (message, kind) => ({ code: codeOf(kind), message }),
  rateMeanings: { 'too-many-connections': 'connections' },
})

export const deny: typeof denials.deny = (choices, kind, facts) =>
  denials.deny(choices, kind, { ...facts, code: codeOf(kind) })

/** The errors that the emulator reports on an open WebSocket. Their statuses aren't used. */
const PROBLEMS: Readonly<Record<SocketProblem, DenialTable<SpeechFacts>[string]>> = {
  'audio-mismatch': CHOSEN['audio-mismatch'],
  'character-rate': CHOSEN['character-rate'],
  'empty-text': CHOSEN['empty-text'],
  'settings-rejected': [0, ({ reasons = [] }) => `The settings are invalid: ${reasons.join('; ')}.`],
  'configure-rejected': [0, ({ reasons = [] }) => reasons.join('; ')],
  'message-unused': [0, 'The message is not used on this channel.'],
  'message-rejected': [0, ({ reasons = [] }) => `The message is invalid: ${reasons.join('; ')}.`],
}

export const problemText = (problem: SocketProblem, facts: SpeechFacts): string =>
  messageIn(PROBLEMS, problem, facts)
