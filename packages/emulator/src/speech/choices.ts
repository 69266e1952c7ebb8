/**
 * Everything that the emulator of the speech service had to choose, because the service's documentation does not show
 * it. Nothing here is a fact about the service; each choice can be replaced. What the documentation does show is in the
 * contract and in the code beside this file.
 */
import { eachOf, groupOf, oneOf, SCHEMAS, type ChoiceDefinition } from '../core/choices.ts'
import { isObject, type Json, type JsonLike, type JsonObject } from '../core/json.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { SuccessChoices } from '../core/service.ts'
import type { AudioContainer } from './audio/container.ts'
import { playLetters } from './audio/tones.ts'
import { analyze, type TextAnalysis } from './analysis.ts'
import type {
  AgentTurn,
  CloseFrame,
  ConversationValues,
  SpeechChannel,
  SpeechEvent,
  SpeechSuccess,
  SpeechTarget,
} from './model.ts'
import type {
  SocketAnswer,
  SpeechFacts,
  SpeechRefusal,
  SocketProblem,
  UnansweredMessage,
} from './problems.ts'
import { showEvent } from './shapes.ts'

/** What the speech emulator chooses where the service's documentation shows nothing. @public */
export interface SpeechChoices extends SuccessChoices<SpeechSuccess> {
  // Credentials
  /** Not shown: what an API key looks like. */
  newApiKey(random: RandomSource): string
  /** Not shown: which calls and channels need a credential. Here all; where none is needed, the first key is taken. */
  requiresCredential(target: SpeechTarget): boolean
  /**
   * Not shown: where else than at an upgrade the expiry of a JWT matters, and whether a JWT can be used to ask for the
   * next one. Here REST takes every JWT that was issued, since expiry matters only at the upgrade.
   */
  acceptsToken(use: { operation: SpeechTarget; isExpired: boolean }): boolean
  /** Not shown: the claims of a JWT. Here `sub`, `iat`, `exp` and `jti`. */
  tokenClaims(token: { subject: string; issuedAtMs: number; expiresAtMs: number; number: number }): JsonObject
  /** Not shown: how another lifetime of a token is asked for. Here with `ttl_seconds` in the body, up to an hour. */
  readGrantLifetime(body: Json | undefined): number | undefined

  // Connections
  /** Not shown: how many connections of a key may be open at once. */
  connectionAllowance: number
  /**
   * Not shown: how much of the allowance a connection takes, and whether a REST call takes any. Here 1, 2 with
   * diarization, and 0 for REST; a REST call that takes some is answered with 429 when there is not enough left.
   */
  connectionWeight(opening: { target: SpeechTarget; query: URLSearchParams }): number
  /** Not shown: whether Retry-After comes with a 429. Here it does not. */
  retryAfterSeconds(): number | undefined
  /**
   * Not shown: the code and the reason with which a connection is closed that was silent for too long, or after an empty
   * binary frame; and whether an empty frame closes an agent before its Settings are acknowledged. `undefined` keeps it
   * open.
   */
  closeFor(end: {
    channel: SpeechChannel
    cause: 'idle' | 'empty-binary'
    isSettled: boolean
  }): CloseFrame | undefined
  /** Not shown: how large a message of a client and the body of a REST call may be, in bytes. */
  largestBytes: { message: number; body: number }
  /** Not shown: what the service says as soon as a channel is open. Here nothing. */
  greeting(opening: { channel: SpeechChannel; query: URLSearchParams }): readonly JsonLike[]

  // Problems
  /** Not shown: the statuses of these refusals. */
  statuses: Readonly<Record<Exclude<SpeechRefusal, 'too-many-connections'>, number>>
  /** Not shown: the shape of an error body. Here `code` and `message`. */
  errorBody(error: { refusal: SpeechRefusal; code: string; message: string }): JsonLike
  /** Not shown: the words of every refusal and problem. */
  wording: Readonly<Record<SpeechRefusal | SocketProblem, (facts: SpeechFacts) => string>>
  /**
   * Not shown: what becomes of a message that is wrong or that the contract does not know: messages that are sent back,
   * and whether the connection is closed. `undefined` stands for the emulator's own answer: ConfigureFailure for a
   * Configure, nothing for a message that an agent has no use for, and `{ type: 'Problem', code, message }` for all else;
   * audio that does not match `encoding` closes the connection with 4000 besides.
   */
  answerMessage(unanswered: UnansweredMessage): SocketAnswer | undefined

  // Audio that comes
  /**
   * Not shown: the encodings and the rates of audio. Here `encoding` names 16-bit samples at 16 kHz (`linear16`), 8-bit
   * ones at 8 kHz (`mulaw`, `alaw`), with `sample_rate` another rate; other audio counts as 128 kbit/s. A WAV header
   * says it itself.
   */
  bytesPerSecond(audio: { query: URLSearchParams; container?: AudioContainer }): number
  /**
   * Not shown: which mismatch of `encoding` gives DATA-0000, which garbled output, and whether the rule holds for POST
   * /v1/listen too. Here all that is seen gives DATA-0000, everywhere.
   */
  encodingMismatch(on: 'transcribe' | SpeechChannel): 'DATA-0000' | 'garbled' | 'ignored'
  /**
   * Not shown: what ends the stall after a binary KeepAlive, and whether one counts as audio for the 10 seconds. Here
   * nothing but a new connection ends it, and it counts.
   */
  binaryKeepAlive: { stallEnds: 'never' | 'with-text-keep-alive'; countsAsAudio: boolean }
  /** Not the service's: it hears words, the emulator does not. These are said over and over, at `wordMs` each. */
  hearing: { words: readonly string[]; wordMs: number }

  // What the channels say
  /**
   * Not shown: when events come, in milliseconds. `segment`: how much audio a transcript covers. `flush`: how long no
   * audio has to come until what was heard last is told. `turn`: how long a turn is at most. `turnUpdate`: how much audio
   * passes between two updates of a turn. `eagerEnd`: how much earlier than the end its eager end comes. `settings`: how
   * long it takes until Settings are acknowledged. `agentTurn`: after how much audio the user has finished. `frame`: how
   * much audio a binary frame holds. `frameInterval`: how long it takes until the next frame goes out.
   */
  timing: Readonly<
    Record<
      | 'segment'
      | 'flush'
      | 'turn'
      | 'turnUpdate'
      | 'eagerEnd'
      | 'settings'
      | 'agentTurn'
      | 'frame'
      | 'frameInterval',
      number
    >
  >
  /**
   * Not shown: the names and payloads of events, and the fields of ConfigureSuccess and ConfigureFailure besides `type`.
   * `undefined` sends none. Here times in seconds; voice activity is told where `utterance_end_ms` is given.
   */
  showEvent(event: SpeechEvent): JsonLike | undefined
  /** Not shown: the values before the first Configure, and what becomes of the key terms when they are left out. */
  conversation: {
    thresholds: ConversationValues['thresholds']
    keyterms: readonly string[]
    keytermsWhenOmitted: 'keep' | 'clear'
  }
  /**
   * Not shown: which thresholds of Configure, and which Settings, are refused, and why. Here a threshold outside of 0 to
   * 1, or a negative time; no Settings.
   */
  checkConfiguration(asked: { channel: 'conversation' | 'agent'; values: JsonObject }): string | undefined
  /** Not shown: whether Settings has a `type`. Here it may be left out, or `Settings`; `answerMessage` has the others. */
  isSettings(message: JsonObject): boolean

  // Texts and synthesis
  /** Not shown: where the text is in the bodies of POST /v1/speak and POST /v1/read. Here `text`. */
  readText(request: { operation: 'synthesize' | 'analyzeText'; body: Json | undefined }): string | undefined
  /** Not shown: the sample rate of synthesized audio. It is 16-bit mono: WAV from REST, bare samples on a socket. */
  sampleRate: number
  /** Not the service's: how a text sounds, and for how long. Here each letter is a tone of 60 ms. */
  speak(utterance: { text: string; sampleRate: number }): Int16Array
  /** Not shown: the character rate limit on synthesis, for each key. Here per minute, sliding. */
  charactersPerMinute: number
  /** Not the service's: what the agent answers. It has no language model. */
  agentReply(turn: AgentTurn): string
  /** Not the service's: how a text is analyzed. Here by counting words. */
  analyze(text: string): TextAnalysis
}

/** Whether an option on the URL is switched on. */
const isOn = (query: URLSearchParams, name: string): boolean =>
  query.has(name) && !['false', '0', ''].includes(query.get(name) ?? '')

const LETTER_MS = 60

/** The choices of the emulator, where none is replaced. @public */
export const defaultSpeechChoices: SpeechChoices = {
  successStatus: ({ status }) => status,
  successBody: ({ body }) => body,

  newApiKey: (random) => `ems_${randomText(random, 32, 'abcdefghijklmnopqrstuvwxyz0123456789')}`,
  requiresCredential: () => true,
  acceptsToken: () => true,
  // To the millisecond, so that a token lives exactly as long as was granted. RFC 7519 allows fractions of seconds.
  tokenClaims: ({ subject, issuedAtMs, expiresAtMs, number }) => ({
    sub: subject,
    iat: issuedAtMs / 1000,
    exp: expiresAtMs / 1000,
    jti: String(number),
  }),
  readGrantLifetime(body) {
    const wanted = isObject(body) ? body['ttl_seconds'] : undefined
    return typeof wanted === 'number' && wanted >= 1 && wanted <= 3600 ? wanted : undefined
  },

  connectionAllowance: 20,
  connectionWeight: ({ target, query }) => (!isChannel(target) ? 0 : isOn(query, 'diarize') ? 2 : 1),
  retryAfterSeconds: () => undefined,
  closeFor: ({ cause }) =>
    cause === 'idle'
      ? { code: 4008, reason: 'No audio came for 10 seconds.' }
      : { code: 1000, reason: 'An empty binary frame ends the stream.' },
  largestBytes: { message: 16_777_216, body: 268_435_456 },
  greeting: () => [],

  statuses: {
    'key-missing': 401,
    'key-invalid': 401,
    'token-expired': 401,
    'query-refused': 400,
    'request-refused': 400,
    'body-too-large': 413,
    'route-unknown': 404,
    'method-unknown': 405,
    'audio-mismatch': 400,
    'empty-text': 400,
    'character-rate': 400,
    'server-error': 500,
  },
  errorBody: ({ code, message }) => ({ code, message }),
  wording: {
    'key-missing': () =>
      'A credential is needed: Authorization with Token and an API key, or Bearer and a JWT.',
    'key-invalid': () => 'The credential is not valid.',
    'token-expired': () => 'The JWT has expired. Ask for a new one before each connection.',
    'too-many-connections': ({ limit }) =>
      `Too many connections are open at the same time; ${limit} are allowed.`,
    'query-refused': ({ reasons = [] }) => `The options on the URL cannot be used: ${reasons.join('; ')}.`,
    'request-refused': ({ reasons = [] }) => `The request cannot be used: ${reasons.join('; ')}.`,
    'body-too-large': ({ limit }) => `The body may have ${limit} bytes.`,
    'route-unknown': () => 'There is nothing at this address.',
    'method-unknown': ({ reasons = [] }) => `This address takes ${reasons.join(', ')}.`,
    'audio-mismatch': () => 'The encoding does not match the audio.',
    'empty-text': () => 'There is no text to speak.',
    'character-rate': ({ limit }) => `More than ${limit} characters were sent within a minute. Slow down.`,
    'settings-refused': ({ reasons = [] }) => `The settings cannot be used: ${reasons.join('; ')}.`,
    'configure-refused': ({ reasons = [] }) => reasons.join('; '),
    'message-unused': () => 'The message has no meaning here.',
    'message-refused': ({ reasons = [] }) => `The message cannot be used: ${reasons.join('; ')}.`,
    'server-error': () => 'The server failed to answer.',
  },
  answerMessage: () => undefined,

  bytesPerSecond({ query, container }) {
    if (container) return 16_000
    const rate = Number(query.get('sample_rate'))
    const isRate = Number.isFinite(rate) && rate > 0
    switch (query.get('encoding')) {
      case 'linear16':
        return 2 * (isRate ? rate : 16_000)
      case 'mulaw':
      case 'alaw':
        return isRate ? rate : 8_000
      default:
        return 16_000
    }
  },
  encodingMismatch: () => 'DATA-0000',
  binaryKeepAlive: { stallEnds: 'never', countsAsAudio: true },
  hearing: {
    words: ['the', 'ferry', 'leaves', 'at', 'nine', 'and', 'the', 'harbour', 'is', 'quiet'],
    wordMs: 400,
  },

  timing: {
    segment: 2_000,
    flush: 1_000,
    turn: 4_000,
    turnUpdate: 1_000,
    eagerEnd: 500,
    settings: 20,
    agentTurn: 2_000,
    frame: 100,
    frameInterval: 0,
  },
  showEvent,
  conversation: {
    thresholds: { eot_threshold: '0.7', eot_timeout_ms: '5000' },
    keyterms: [],
    keytermsWhenOmitted: 'keep',
  },
  checkConfiguration({ channel, values }) {
    if (channel === 'agent') return undefined
    for (const [name, [least, most]] of Object.entries(THRESHOLDS)) {
      const value = Number(values[name] ?? least)
      if (!(value >= least && value <= most)) return `${name} must be from ${least} to ${most}`
    }
    return undefined
  },
  isSettings: (message) => message['type'] === undefined || message['type'] === 'Settings',

  readText: ({ body }) => (isObject(body) && typeof body['text'] === 'string' ? body['text'] : undefined),
  sampleRate: 24_000,
  speak: ({ text, sampleRate }) => playLetters(text, sampleRate, [...text].length * LETTER_MS),
  charactersPerMinute: 10_000,
  agentReply: ({ heard }) => `You said: ${heard}.`,
  analyze,
}

const THRESHOLDS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  eot_threshold: [0, 1],
  eot_timeout_ms: [0, 3_600_000],
}

const CHANNELS: ReadonlySet<string> = new Set<SpeechChannel>([
  'liveTranscription',
  'conversation',
  'speechStream',
  'agent',
])

function isChannel(target: SpeechTarget): target is SpeechChannel {
  return CHANNELS.has(target)
}

/** The choices with what they are checked by. */
export const SPEECH_CHOICES: ChoiceDefinition<SpeechChoices> = {
  service: 'speech',
  defaults: defaultSpeechChoices,
  awaited: ['successStatus', 'successBody'],
  schemas: {
    successStatus: SCHEMAS.status,
    requiresCredential: SCHEMAS.flag,
    acceptsToken: SCHEMAS.flag,
    connectionAllowance: SCHEMAS.amount,
    connectionWeight: SCHEMAS.amount,
    retryAfterSeconds: SCHEMAS.amount,
    closeFor: SCHEMAS.closeFrame,
    largestBytes: eachOf(SCHEMAS.amount),
    greeting: { type: 'array' },
    statuses: eachOf(SCHEMAS.status),
    wording: {},
    answerMessage: groupOf({ send: { type: 'array' }, close: SCHEMAS.closeFrame }),
    bytesPerSecond: { type: 'number', exclusiveMinimum: 0 },
    encodingMismatch: oneOf('DATA-0000', 'garbled', 'ignored'),
    binaryKeepAlive: groupOf({
      stallEnds: oneOf('never', 'with-text-keep-alive'),
      countsAsAudio: SCHEMAS.flag,
    }),
    hearing: groupOf({
      words: { type: 'array', items: SCHEMAS.text },
      wordMs: { type: 'number', exclusiveMinimum: 0 },
    }),
    timing: eachOf(SCHEMAS.optionalAmount),
    conversation: groupOf({
      thresholds: { type: 'object' },
      keyterms: { type: 'array', items: SCHEMAS.text },
      keytermsWhenOmitted: oneOf('keep', 'clear'),
    }),
    checkConfiguration: SCHEMAS.text,
    isSettings: SCHEMAS.flag,
    readText: SCHEMAS.text,
    sampleRate: { type: 'integer', minimum: 1 },
    charactersPerMinute: SCHEMAS.amount,
    agentReply: SCHEMAS.text,
  },
}
