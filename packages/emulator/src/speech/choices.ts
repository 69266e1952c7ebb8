/**
 * Everything that the emulator of the speech service had to choose, because the service's documentation doesn't show it.
 * Nothing here is a fact about the service, and each choice can be replaced. Documented behavior is in the
 * contract and in the code next to this file.
 */
import {
  answerOf,
  eachOf,
  groupOf,
  oneOf,
  RESPONSE_SCHEMAS,
  SCHEMAS,
  type ChoiceDefinition,
} from '../core/choices.ts'
import { isObject, type Json, type JsonLike, type JsonObject } from '../core/json.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { ResponseChoices } from '../core/service.ts'
import type { AudioContainer } from './audio/container.ts'
import { playLetters } from './audio/tones.ts'
import { analyze, type TextAnalysis } from './analysis.ts'
import type {
  AgentTurn,
  CloseFrame,
  ConversationValues,
  SocketAnswer,
  SpeechChannel,
  SpeechEvent,
  SpeechSuccess,
  SpeechTarget,
  UnansweredMessage,
} from './model.ts'
import { CHOSEN_STATUSES, type SpeechFacts, type SpeechDenial } from './denials.ts'
import { showEvent } from './shapes.ts'

/** The choices of the speech emulator, for behavior that the service's documentation doesn't show. @public */
export interface SpeechChoices extends ResponseChoices<SpeechSuccess, SpeechDenial, SpeechFacts> {
  /** Not shown: the statuses of these errors. */
  statuses: Readonly<Record<keyof typeof CHOSEN_STATUSES, number>>

  // Credentials
  /** Not shown: what an API key looks like. */
  newApiKey(random: RandomSource): string
  /**
   * Not shown: which calls and channels need a credential, where else than at an upgrade the expiry of a JWT matters, and
   * whether a JWT can be used to request the next one. Here all need one, and REST accepts every JWT that was issued, since
   * expiry matters only at the upgrade. A call without a credential acts for the first key.
   */
  acceptsCredential(use: { target: SpeechTarget; credential: 'none' | 'token' | 'expired-token' }): boolean
  /** Not shown: the claims of a JWT. Here `sub`, `iat`, `exp` and `jti`. */
  tokenClaims(token: { subject: string; issuedAtMs: number; expiresAtMs: number; number: number }): JsonObject
  /**
   * Not shown: where the text is in the bodies of POST /v1/speak and POST /v1/read (here `text`), and how another lifetime
   * of a token is requested (here with `ttl_seconds`, up to an hour).
   */
  readBody(request: { operation: 'synthesize' | 'analyzeText' | 'grantToken'; body: Json | undefined }): {
    text?: string
    lifetimeSeconds?: number
  }

  // Connections
  /**
   * Not shown: how many connections of a key may be open at once, the character rate limit on synthesis (here per key and
   * sliding minute), and how large a message of a client and the body of a REST call may be, in bytes.
   */
  limits: { connections: number; charactersPerMinute: number; messageBytes: number; bodyBytes: number }
  /**
   * Not shown: how much of the connection limit a connection takes, and whether a REST call takes any. Here 1, 2 with
   * diarization, and 0 for REST. The response to a REST call for which not enough is left is a 429.
   */
  connectionWeight(opening: { target: SpeechTarget; query: URLSearchParams }): number
  /**
   * Not shown: the code and the reason of closing a connection that was silent for too long, or after an empty binary
   * frame, and whether an empty frame closes an agent before its Settings are acknowledged. `undefined` keeps it open.
   */
  closeFor(end: {
    channel: SpeechChannel
    cause: 'idle' | 'empty-binary'
    isSettled: boolean
  }): CloseFrame | undefined
  /** Not shown: what the service sends as soon as a channel is open. Here nothing. */
  greeting(opening: { channel: SpeechChannel; query: URLSearchParams }): readonly JsonLike[]

  // Problems
  /**
   * Not shown: the reaction to a message that is wrong or that the contract doesn't know: messages to the client, and
   * whether the connection is closed. `undefined` leaves it to the emulator: ConfigureFailure for a Configure, nothing for a
   * message that an agent doesn't use, `{ type: 'Problem', code, message }` for all else; audio that doesn't match
   * `encoding` also closes the connection with 4000.
   */
  answerMessage(unanswered: UnansweredMessage): SocketAnswer | undefined

  // Audio that comes
  /**
   * Not shown: the encodings and the rates of audio. Here `encoding` names 16-bit samples at 16 kHz (`linear16`), 8-bit
   * ones at 8 kHz (`mulaw`, `alaw`), `sample_rate` sets another rate, and other audio counts as 128 kbit/s. A WAV header
   * takes precedence.
   */
  bytesPerSecond(audio: { query: URLSearchParams; container?: AudioContainer }): number
  /**
   * Not shown: which mismatch of `encoding` leads to DATA-0000, which to garbled output, and whether the rule applies to
   * POST /v1/listen too. Here every mismatch that is noticed leads to DATA-0000, everywhere.
   */
  encodingMismatch(on: 'transcribe' | SpeechChannel): 'DATA-0000' | 'garbled' | 'ignored'
  /**
   * Not shown: what ends the stall after a binary KeepAlive, and whether one counts as audio for the 10 seconds. Here only
   * a new connection ends it, and it counts.
   */
  binaryKeepAlive: { stallEnds: 'never' | 'with-text-keep-alive'; countsAsAudio: boolean }
  /** Not the service's: it recognizes words, the emulator doesn't. These words are repeated, at `wordMs` each. */
  hearing: { words: readonly string[]; wordMs: number }

  // Messages of the channels
  /**
   * Not shown: when events are sent, in milliseconds. A transcript covers `segment` of audio; after a silence of `flush`,
   * the rest is transcribed. A turn has at most `turn` of audio, an update every `turnUpdate`, and its end follows its eager
   * end after `eagerEnd`. Settings are acknowledged after `settings`; the agent answers after `agentTurn` of audio. A binary
   * frame contains `frame` of audio, and is sent `frameInterval` after the previous one.
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
   * `undefined` sends none. Here times are in seconds, and voice activity is reported if `utterance_end_ms` is set.
   */
  showEvent(event: SpeechEvent): JsonLike | undefined
  /** Not shown: the values before the first Configure, and whether key terms that are left out are kept or cleared. */
  conversation: {
    thresholds: ConversationValues['thresholds']
    keyterms: readonly string[]
    keytermsWhenOmitted: 'keep' | 'clear'
  }
  /**
   * Not shown: which thresholds of Configure, and which Settings, are rejected, and why. Here a threshold outside of 0 to 1,
   * or a negative time; no Settings. A string is the reason.
   */
  checkConfiguration(asked: { channel: 'conversation' | 'agent'; values: JsonObject }): string | undefined
  /** Not shown: whether Settings has a `type`. Here none or `Settings`; `answerMessage` gets any other message. */
  isSettings(message: JsonObject): boolean

  // Synthesis, the agent and analysis
  /**
   * Not shown: the sample rate of synthesized audio (16-bit mono: WAV from REST, bare samples on a socket). Not the
   * service's: how a text sounds, and for how long. Here each letter is a tone of 60 ms.
   */
  speak(text: string): { samples: Int16Array; sampleRate: number }
  /** Not the service's: what the agent answers. The emulator has no language model. */
  agentReply(turn: AgentTurn): string
  /** Not the service's: how text is analyzed. Here by counting words. */
  analyze(text: string): TextAnalysis
}

/** Whether an option on the URL is switched on. */
const isOn = (query: URLSearchParams, name: string): boolean =>
  query.has(name) && !['false', '0', ''].includes(query.get(name) ?? '')

const LETTER_MS = 60
const SAMPLE_RATE = 24_000

/** The default choices. @public */
export const defaultSpeechChoices: SpeechChoices = {
  successResponse: () => undefined,
  errorResponse: () => undefined,
  statuses: CHOSEN_STATUSES,

  newApiKey: (random) => `ems_${randomText(random, 32, 'abcdefghijklmnopqrstuvwxyz0123456789')}`,
  acceptsCredential: ({ credential }) => credential !== 'none',
  // To the millisecond, so that a token lives exactly as long as was granted. RFC 7519 allows fractions of seconds.
  tokenClaims: ({ subject, issuedAtMs, expiresAtMs, number }) => ({
    sub: subject,
    iat: issuedAtMs / 1000,
    exp: expiresAtMs / 1000,
    jti: String(number),
  }),
  readBody({ body }) {
    if (!isObject(body)) return {}
    const { text, ttl_seconds: lifetimeSeconds } = body
    const isLifetime = typeof lifetimeSeconds === 'number' && lifetimeSeconds >= 1 && lifetimeSeconds <= 3600
    return { ...(typeof text === 'string' ? { text } : {}), ...(isLifetime ? { lifetimeSeconds } : {}) }
  },

  limits: {
    connections: 20,
    charactersPerMinute: 10_000,
    messageBytes: 16_777_216,
    bodyBytes: 268_435_456,
  },
  connectionWeight: ({ target, query }) => (!isChannel(target) ? 0 : isOn(query, 'diarize') ? 2 : 1),
  closeFor: ({ cause }) =>
    cause === 'idle'
      ? { code: 4008, reason: 'No audio came for 10 seconds.' }
      : { code: 1000, reason: 'An empty binary frame ends the stream.' },
  greeting: () => [],

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

  speak: (text) => ({
    samples: playLetters(text, SAMPLE_RATE, [...text].length * LETTER_MS),
    sampleRate: SAMPLE_RATE,
  }),
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
  awaited: ['successResponse'],
  schemas: {
    ...RESPONSE_SCHEMAS,
    statuses: eachOf(SCHEMAS.status),
    newApiKey: SCHEMAS.text,
    acceptsCredential: SCHEMAS.flag,
    readBody: answerOf({ text: SCHEMAS.text, lifetimeSeconds: SCHEMAS.amount }),
    limits: eachOf(SCHEMAS.amount),
    connectionWeight: SCHEMAS.amount,
    closeFor: SCHEMAS.closeFrame,
    greeting: { type: 'array' },
    answerMessage: answerOf({ send: { type: 'array' }, close: SCHEMAS.closeFrame }),
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
    speak: {
      ...answerOf({ samples: {}, sampleRate: { type: 'integer', minimum: 1 } }),
      required: ['samples'],
    },
    agentReply: SCHEMAS.text,
  },
}
