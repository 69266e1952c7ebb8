/**
 * The choices of the speech emulator. They are not facts about the service, and each can be overridden. Documented
 * behavior is in the contract and in the other files of this folder.
 */
import {
  resultOf,
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
import { playLetters } from './audio/tones.ts'
import { analyze, type TextAnalysis } from './analysis.ts'
import type {
  AgentTurn,
  AudioContainer,
  CloseFrame,
  ConversationValues,
  SocketResponse,
  SpeechChannel,
  SpeechEvent,
  SpeechSuccess,
  SpeechTarget,
  UnansweredMessage,
} from './model.ts'
import { CHOSEN_STATUSES, type SpeechFacts, type SpeechDenial } from './denials.ts'
import { isOn, showEvent } from './shapes.ts'

/** The choices of the speech emulator, for behavior that the service's documentation leaves open. @public */
export interface SpeechChoices extends ResponseChoices<SpeechSuccess, SpeechDenial, SpeechFacts> {
  /** Undocumented: the statuses of the errors whose status isn't documented. */
  statuses: Readonly<Record<keyof typeof CHOSEN_STATUSES, number>>

  // Credentials
  /** Undocumented: what an API key looks like. */
  newApiKey(random: RandomSource): string
  /**
   * Undocumented: which calls and channels need a credential, whether REST calls with an expired JWT are rejected,
   * and whether a JWT can be used to request the next JWT. By default, all calls and channels need a credential, and
   * REST accepts every issued JWT, even an expired one. If an override accepts calls without a credential, these
   * calls count as calls with the first API key.
   */
  acceptsCredential(use: { target: SpeechTarget; credential: 'none' | 'token' | 'expired-token' }): boolean
  /** Undocumented: the claims of a JWT. By default `sub`, `iat`, `exp` and `jti`. */
  tokenClaims(token: { subject: string; issuedAtMs: number; expiresAtMs: number; number: number }): JsonObject
  /**
   * Undocumented: which field contains the text in the bodies of POST /v1/speak and POST /v1/read (by default
   * `text`), and which field sets the lifetime of a token (by default `ttl_seconds`, from 1 to
   * 3,600).
   */
  readBody(request: { operation: 'synthesize' | 'analyzeText' | 'grantToken'; body: Json | undefined }): {
    text?: string
    lifetimeSeconds?: number
  }

  // Connections
  /**
   * Undocumented: how many connections an API key may use at the same time, how many characters it may send for
   * synthesis within any one minute, and the maximum sizes of a client's message and of a REST body, in bytes.
   */
  limits: { connections: number; charactersPerMinute: number; messageBytes: number; bodyBytes: number }
  /**
   * Undocumented: how much a connection counts towards the connection limit, and whether REST calls count. By
   * default, a connection counts as 1, a connection with diarization counts as 2, and a REST call doesn't count. If
   * REST calls count, the emulator responds with 429 to a call that would exceed the limit.
   */
  connectionWeight(opening: { target: SpeechTarget; query: URLSearchParams }): number
  /**
   * Undocumented: the close code and the close reason that the service sends in two cases: if no audio arrives for
   * too long, and if the client sends an empty binary frame. Also undocumented: whether an empty frame closes a
   * connection of the channel `agent` if the service hasn't acknowledged the Settings message yet. `undefined` keeps
   * the connection open.
   */
  closeFor(end: {
    channel: SpeechChannel
    cause: 'idle' | 'empty-binary'
    isSettled: boolean
  }): CloseFrame | undefined
  /** Undocumented: what the service sends as soon as a client has connected to a channel. By default, nothing. */
  greeting(opening: { channel: SpeechChannel; query: URLSearchParams }): readonly JsonLike[]

  // Problems
  /**
   * Undocumented: how the service responds to an invalid or unknown message, and whether it closes the connection.
   * `undefined` means the emulator's own response: ConfigureFailure for a Configure message, nothing for a message
   * that the channel `agent` doesn't use, and `{ type: 'Problem', code, message }` for everything else. If audio
   * doesn't match `encoding`, the emulator sends this Problem, and closes the connection with the code 4000.
   */
  respondToMessage(unanswered: UnansweredMessage): SocketResponse | undefined

  // Incoming audio
  /**
   * Undocumented: how many bytes one second of audio has, depending on its encoding and sample rate. By default, the
   * `encoding` `linear16` means 16-bit samples at 16 kHz, and `mulaw` and `alaw` mean 8-bit samples at 8 kHz. For
   * these encodings, `sample_rate` overrides the sample rate. All other audio counts as 128 kbit/s. The rate in a WAV
   * header takes precedence over this choice.
   */
  bytesPerSecond(audio: { query: URLSearchParams; container?: AudioContainer }): number
  /**
   * Undocumented: which mismatches between audio and its `encoding` cause the error DATA-0000 and which cause garbled
   * output, and whether POST /v1/listen handles a mismatch in the same way as the channels. The emulator
   * detects only one mismatch: `encoding` is set, but the audio is in a container. By default, this mismatch causes
   * DATA-0000, on POST /v1/listen too.
   */
  encodingMismatch(on: 'transcribe' | SpeechChannel): 'DATA-0000' | 'garbled' | 'ignored'
  /**
   * Undocumented: what happens after a KeepAlive in a binary frame. The frame stalls live transcription, but the
   * documentation doesn't say what ends the stall, or whether the frame restarts the idle timeout (10 seconds without
   * audio). By default, only a new connection ends the stall, and the frame restarts the timeout.
   */
  binaryKeepAlive: { stallEnds: 'never' | 'with-text-keep-alive'; countsAsAudio: boolean }
  /**
   * Emulator only: the words that the emulator hears in any audio, since it doesn't recognize speech. The words
   * repeat, and a word starts every `wordMs` milliseconds.
   */
  hearing: { words: readonly string[]; wordMs: number }

  // Messages of the channels
  /**
   * Undocumented: when events are sent. Each property is a duration in milliseconds. `segment` is the length of the
   * audio that one transcript covers. `flush` is the length of the pause after which live transcription transcribes
   * the remaining audio, and after which the agent replies. `turn` is the maximum length of a turn
   * in a conversation, and `turnUpdate` is the time between two updates of a turn. `eagerEnd` is the time between
   * the stages `eager-end` and `end` of a turn with the maximum length. `settings` is the delay before the emulator
   * acknowledges Settings. `agentTurn` is the length of the audio after which the agent replies even without a pause.
   * `frame` is the length of the audio in a binary frame from the emulator, and `frameInterval` is the time between
   * two of these frames.
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
   * Undocumented: the names and payloads of events, and the fields of ConfigureSuccess and ConfigureFailure besides
   * `type`. `undefined` sends no event. By default, times are in seconds, and voice activity is reported if
   * `utterance_end_ms` is set.
   */
  showEvent(event: SpeechEvent): JsonLike | undefined
  /**
   * Undocumented: the thresholds and key terms that apply until the first Configure message, and whether a
   * Configure message without `keyterms` clears the key terms.
   */
  conversation: {
    thresholds: ConversationValues['thresholds']
    keyterms: readonly string[]
    keytermsWhenOmitted: 'keep' | 'clear'
  }
  /**
   * Undocumented: which thresholds in a Configure message are rejected, which Settings are rejected, and why. By
   * default, `eot_threshold` has to be from 0 to 1 and `eot_timeout_ms` from 0 to 3,600,000, and all Settings are
   * accepted. A returned string is the reason for a rejection.
   */
  checkConfiguration(asked: { channel: 'conversation' | 'agent'; values: JsonObject }): string | undefined
  /**
   * Undocumented: whether a Settings message has a `type`. By default, a message counts as Settings if its `type` is
   * either missing or `Settings`. Messages that don't count as Settings go to `respondToMessage`.
   */
  isSettings(message: JsonObject): boolean

  // Synthesis, the agent and analysis
  /**
   * Undocumented: the sample rate of synthesized audio. The audio is always 16-bit mono: a WAV file from POST
   * /v1/speak, and samples without a header on a WebSocket. The emulator doesn't pronounce words: by default,
   * each letter is a tone of 60 ms.
   */
  speak(text: string): { samples: Int16Array; sampleRate: number }
  /**
   * Emulator only: the agent's reply, since the emulator has no language model. By default, the agent repeats what it
   * heard.
   */
  agentReply(turn: AgentTurn): string
  /** Emulator only: how text is analyzed. By default, the emulator counts words. */
  analyze(text: string): TextAnalysis
}

const LETTER_MS = 60
const SAMPLE_RATE = 24_000

/** The default choices. @public */
export const defaultSpeechChoices: SpeechChoices = {
  successResponse: () => undefined,
  errorResponse: () => undefined,
  statuses: CHOSEN_STATUSES,

  newApiKey: (random) => `ems_${randomText(random, 32, 'abcdefghijklmnopqrstuvwxyz0123456789')}`,
  acceptsCredential: ({ credential }) => credential !== 'none',
  // RFC 7519 allows fractions of seconds. They keep the lifetime exact.
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
      ? { code: 4008, reason: 'The service received no audio for 10 seconds.' }
      : { code: 1000, reason: 'The client ended the stream with an empty binary frame.' },
  greeting: () => [],

  respondToMessage: () => undefined,

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

export const SPEECH_CHOICES: ChoiceDefinition<SpeechChoices> = {
  service: 'speech',
  defaults: defaultSpeechChoices,
  awaited: ['successResponse'],
  schemas: {
    ...RESPONSE_SCHEMAS,
    statuses: eachOf(SCHEMAS.status),
    newApiKey: SCHEMAS.text,
    acceptsCredential: SCHEMAS.flag,
    readBody: resultOf({ text: SCHEMAS.text, lifetimeSeconds: SCHEMAS.amount }),
    limits: eachOf(SCHEMAS.amount),
    connectionWeight: SCHEMAS.amount,
    closeFor: SCHEMAS.closeFrame,
    greeting: { type: 'array' },
    respondToMessage: resultOf({ send: { type: 'array' }, close: SCHEMAS.closeFrame }),
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
    timing: {
      ...eachOf(SCHEMAS.optionalAmount),
      // With 0, the loop that splits the audio into turns or segments would never end.
      properties: Object.fromEntries(
        ['segment', 'agentTurn', 'turn', 'turnUpdate'].map((name) => [
          name,
          { type: 'number', exclusiveMinimum: 0 },
        ]),
      ),
    },
    conversation: groupOf({
      thresholds: { type: 'object' },
      keyterms: { type: 'array', items: SCHEMAS.text },
      keytermsWhenOmitted: oneOf('keep', 'clear'),
    }),
    checkConfiguration: SCHEMAS.text,
    isSettings: SCHEMAS.flag,
    speak: {
      ...resultOf({ samples: {}, sampleRate: { type: 'integer', minimum: 1 } }),
      required: ['samples', 'sampleRate'],
    },
    agentReply: SCHEMAS.text,
  },
}
