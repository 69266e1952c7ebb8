/**
 * Everything that the emulator of the speech service had to choose, because the service's documentation does not show
 * it. Nothing here is a fact about the service; each choice can be replaced. What the documentation does give stands in
 * the contract and in the code beside this file.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { AudioContainer } from './audio/container.ts'
import { playLetters } from './audio/tones.ts'
import { analyze, type TextAnalysis } from './analysis.ts'
import type {
  AgentTurn,
  ConversationValues,
  HeardSegment,
  HeardWord,
  SpeechChannel,
  Turn,
  TurnStage,
} from './model.ts'
import type { SocketProblem, SpeechFacts, SpeechRefusal } from './problems.ts'

/** What the speech emulator chooses where the service's documentation shows nothing. @public */
export interface SpeechChoices {
  // Credentials
  /** Not shown: what an API key looks like. */
  newApiKey(random: RandomSource): string
  /** Not shown: how another lifetime of a token is asked for. Here with `ttl_seconds` in the body, up to an hour. */
  readGrantLifetime(body: Json | undefined): number | undefined
  /** Not shown: the shape of a grant. Here `access_token` and `expires_in`, in seconds. */
  showGrant(grant: { token: string; lifetimeSeconds: number }): Json
  /** Not shown: whether a JWT can be used to ask for the next one. Here it can. */
  grantTakesTokens: boolean
  /** Not shown: whether REST calls check the expiry of a JWT. Here they do not: it matters at the upgrade. */
  restChecksExpiry: boolean

  // Connections
  /** Not shown: how many connections of a key may be open at once. */
  connectionAllowance: number
  /** Not shown: how much of the allowance a connection takes. Here 1, and 2 with diarization. */
  connectionWeight(opening: { channel: SpeechChannel; query: URLSearchParams }): number
  /** Not shown: whether REST calls count as connections, and can be answered with 429. Here they are not counted. */
  restCountsAsConnection: boolean
  /** Not shown: whether Retry-After comes with a 429. Here it does not. */
  retryAfterSeconds: number | undefined
  /** Not shown: the code and the reason with which a connection is closed that was silent for too long. */
  idleClose: { code: number; reason: string }
  /** Not shown: the code and the reason with which a connection is closed after an empty binary frame. */
  emptyBinaryClose: { code: number; reason: string }
  /** Not shown: how long a message of a client may be, in bytes. */
  largestMessageBytes: number
  /** Not shown: how large the body of a REST call may be, in bytes. */
  largestBodyBytes: number

  // Problems
  /** Not shown: the statuses of these refusals. */
  statuses: Readonly<Record<Exclude<SpeechRefusal, 'too-many-connections'>, number>>
  /** Not shown: the shape of an error body. Here `code` and `message`. */
  showError(refusal: SpeechRefusal, code: string, message: string): Json
  /** Not shown: the words of every refusal and problem. */
  wording: Readonly<Record<SpeechRefusal | SocketProblem, (facts: SpeechFacts) => string>>
  /**
   * Not shown: the message that tells of a problem on an open connection. Here `type`, `code` and `message`;
   * `undefined` stands for none.
   */
  showProblem(problem: SocketProblem, code: string, message: string): Json | undefined
  /**
   * Not shown: which problems close the connection, and with which code; with `null` it stays open. The reason is the
   * code of the problem and its words.
   */
  problemClosesWith: Readonly<Record<SocketProblem, number | null>>

  // Audio that comes
  /**
   * Not shown: the encodings and the rates of audio. Here `encoding` names 16-bit samples at 16 kHz (`linear16`), 8-bit
   * ones at 8 kHz (`mulaw`, `alaw`), with `sample_rate` another rate; other audio counts as 128 kbit/s. A WAV header
   * says it itself.
   */
  bytesPerSecond(audio: { query: URLSearchParams; container?: AudioContainer }): number
  /** Not shown: which mismatch of `encoding` gives DATA-0000, and which garbled output. Here all that is seen gives DATA-0000. */
  encodingMismatch: 'DATA-0000' | 'garbled'
  /** Not shown: whether the rule that `encoding` must match the audio holds for POST /v1/listen too. Here it does. */
  restChecksEncoding: boolean
  /**
   * Not the service's: it hears words, the emulator does not. These are said over and over, at `wordMs` each.
   */
  words: readonly string[]
  /** Not the service's: how long a word takes. */
  wordMs: number

  // Live transcription
  /** Not shown: how much audio a transcript event covers. */
  segmentMs: number
  /** Not shown: how long no audio has to come until what was heard last is told. */
  flushMs: number
  /** Not shown: the name and payload of a transcript result. Here times in seconds. */
  showTranscript(segment: HeardSegment): Json
  /** Not shown: the name and payload of a voice-activity event, and when it comes. Here when speech begins, where `utterance_end_ms` is given. */
  showVoiceActivity(activity: { atMs: number }): Json | undefined
  /** Not shown: the name and payload of an utterance-end event. */
  showUtteranceEnd(utterance: { lastWordEndMs: number }): Json
  /** Not shown: what ends the stall after a binary KeepAlive. Here nothing but a new connection, or KeepAlive as text. */
  stallEnds: 'never' | 'with-text-keep-alive'

  // Conversational transcription
  /** Not shown: how long a turn is. Here this much audio; or less, when none comes for `eot_timeout_ms`. */
  turnMs: number
  /** Not shown: how much audio passes between two updates of a turn. */
  turnUpdateMs: number
  /** Not shown: how much earlier than the end the eager end of a turn comes. */
  eagerEndMs: number
  /** Not shown: the name and payload of turn events. Here times in seconds and the turn's index from 0. */
  showTurn(turn: Turn): Json | undefined
  /** Not shown: the values before the first Configure. */
  conversationStart: ConversationValues
  /** Not shown: which values of thresholds are refused. Here a threshold outside of 0 to 1, or a negative time. */
  checkThresholds(thresholds: JsonObject): string | undefined
  /** Not shown: what becomes of the key terms when `keyterms` is left out. Here they are kept; an empty list clears them. */
  keytermsWhenOmitted: 'keep' | 'clear'
  /** Not shown: the fields of ConfigureSuccess besides `type`. Here all values, as they hold from now on. */
  showApplied(values: ConversationValues): JsonObject
  /** Not shown: the fields of ConfigureFailure besides `type`. Here `reason`. */
  showConfigureFailure(reason: string): JsonObject

  // Synthesis
  /** Not shown: where the text stands in the body of POST /v1/speak. Here `text`. */
  readSynthesisText(body: Json | undefined): string | undefined
  /** Not shown: the sample rate of synthesised audio. It is 16-bit mono: WAV from REST, bare samples on a socket. */
  sampleRate: number
  /** Not the service's: how long a text is spoken. */
  speakingMs(text: string): number
  /** Not the service's: how a text sounds. Here each letter is a tone. */
  speak(text: string, sampleRate: number, durationMs: number): Int16Array
  /** Not shown: how much audio a binary frame holds. */
  frameMs: number
  /** Not shown: how long it takes until the next frame goes out. Here all go out at once. */
  frameIntervalMs: number
  /** Not shown: how the end of the audio of a text is told. */
  showSpeechEnd(speech: { index: number; durationMs: number }): Json | undefined
  /** Not shown: the character rate limit on synthesis, for each key. Here per minute, sliding. */
  charactersPerMinute: number

  // The agent
  /** Not shown: whether Settings has a `type`. Here it may be left out, or `Settings`; other messages are ignored. */
  isSettings(message: JsonObject): boolean
  /** Not shown: the contents of Settings, and which are refused. Here none are. */
  checkSettings(settings: JsonObject): string | undefined
  /** Not shown: the name and shape of the acknowledgement of Settings. */
  showSettingsAccepted(settings: JsonObject): Json
  /** Not shown: how long it takes until Settings are acknowledged. */
  settingsMs: number
  /** Not shown: when the user has finished speaking. Here after this much audio, or when none came for `flushMs`. */
  agentTurnMs: number
  /** Not the service's: what the agent answers. It has no language model. */
  agentReply(turn: AgentTurn): string
  /** Not shown: the names and payloads of what the agent says besides audio. */
  showAgentText(text: { role: 'user' | 'agent'; text: string; index: number }): Json | undefined
  /** Not shown: how the end of the agent's audio is told. */
  showAgentAudioEnd(turn: { index: number }): Json | undefined

  // The rest of REST
  /** Not shown: the shape of a transcript of a file. Here times in seconds, and what the options ask for. */
  showTranscription(file: HeardSegment & { durationMs: number; analysis: TextAnalysis }): Json
  /** Not shown: where the text stands in the body of POST /v1/read. Here `text`. */
  readAnalysisText(body: Json | undefined): string | undefined
  /** Not the service's: how a text is analyzed. Here by counting words. */
  analyze(text: string): TextAnalysis
  /** Not shown: the shape of an analysis. */
  showAnalysis(analysis: TextAnalysis): Json
  /** Not shown: the shape of the list of models. */
  showModels(models: readonly { name: string; purpose: string }[]): Json
  /** Not shown: which language models an agent can have, and the shape of their list. These belong to the emulator. */
  thinkModels: Json
  /**
   * Not shown: anything about the two families under /v1/projects. Here every call is answered with what it was.
   */
  answerProjects(call: { method: string; path: string; body: Json | undefined }): {
    status: number
    json: Json
  }
}

const seconds = (ms: number): number => Math.round(ms) / 1000

const showWords = (words: readonly HeardWord[]): Json[] =>
  words.map(({ word, startMs, endMs }) => ({ word, start: seconds(startMs), end: seconds(endMs) }))

const textOf = (words: readonly HeardWord[]): string => words.map(({ word }) => word).join(' ')

const readText = (body: Json | undefined): string | undefined =>
  isObject(body) && typeof body['text'] === 'string' ? body['text'] : undefined

/** Whether an option on the URL is switched on. */
const isOn = (query: URLSearchParams, name: string): boolean =>
  query.has(name) && !['false', '0', ''].includes(query.get(name) ?? '')

const TURN_EVENTS: Readonly<Record<TurnStage, string>> = {
  start: 'turn-start',
  update: 'turn-update',
  'eager-end': 'eager-end-of-turn',
  end: 'end-of-turn',
}

/** The choices of the emulator, where none is replaced. @public */
export const defaultSpeechChoices: SpeechChoices = {
  newApiKey: (random) => `ems_${randomText(random, 32, 'abcdefghijklmnopqrstuvwxyz0123456789')}`,
  readGrantLifetime(body) {
    const wanted = isObject(body) ? body['ttl_seconds'] : undefined
    return typeof wanted === 'number' && wanted >= 1 && wanted <= 3600 ? wanted : undefined
  },
  showGrant: ({ token, lifetimeSeconds }) => ({ access_token: token, expires_in: lifetimeSeconds }),
  grantTakesTokens: true,
  restChecksExpiry: false,

  connectionAllowance: 20,
  connectionWeight: ({ query }) => (isOn(query, 'diarize') ? 2 : 1),
  restCountsAsConnection: false,
  retryAfterSeconds: undefined,
  idleClose: { code: 4008, reason: 'No audio came for 10 seconds.' },
  emptyBinaryClose: { code: 1000, reason: 'An empty binary frame ends the stream.' },
  largestMessageBytes: 16_777_216,
  largestBodyBytes: 268_435_456,

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
  showError: (_, code, message) => ({ code, message }),
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
    'message-refused': ({ reasons = [] }) => `The message cannot be used: ${reasons.join('; ')}.`,
    'server-error': () => 'The server failed to answer.',
  },
  showProblem: (_, code, message) => ({ type: 'Problem', code, message }),
  problemClosesWith: {
    'audio-mismatch': 4000,
    'character-rate': null,
    'empty-text': null,
    'settings-refused': null,
    'message-refused': null,
  },

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
  encodingMismatch: 'DATA-0000',
  restChecksEncoding: true,
  words: ['the', 'ferry', 'leaves', 'at', 'nine', 'and', 'the', 'harbour', 'is', 'quiet'],
  wordMs: 400,

  segmentMs: 2_000,
  flushMs: 1_000,
  showTranscript: ({ words, startMs, endMs }) => ({
    type: 'Transcript',
    text: textOf(words),
    start: seconds(startMs),
    end: seconds(endMs),
    words: showWords(words),
  }),
  showVoiceActivity: ({ atMs }) => ({ type: 'VoiceActivity', at: seconds(atMs) }),
  showUtteranceEnd: ({ lastWordEndMs }) => ({ type: 'UtteranceEnd', last_word_end: seconds(lastWordEndMs) }),
  stallEnds: 'never',

  turnMs: 4_000,
  turnUpdateMs: 1_000,
  eagerEndMs: 500,
  showTurn: ({ stage, index, words, startMs, endMs }) => ({
    type: 'Turn',
    event: TURN_EVENTS[stage],
    turn_index: index,
    text: textOf(words),
    start: seconds(startMs),
    end: seconds(endMs),
    words: showWords(words),
  }),
  conversationStart: { thresholds: { eot_threshold: '0.7', eot_timeout_ms: '5000' }, keyterms: [] },
  checkThresholds(thresholds) {
    for (const [name, [least, most]] of Object.entries({
      eot_threshold: [0, 1],
      eot_timeout_ms: [0, 3_600_000],
    })) {
      const value = Number(thresholds[name] ?? least)
      if (!(value >= (least ?? 0) && value <= (most ?? 0))) return `${name} must be from ${least} to ${most}`
    }
    return undefined
  },
  keytermsWhenOmitted: 'keep',
  showApplied: ({ thresholds, keyterms }) => ({ thresholds: { ...thresholds }, keyterms: [...keyterms] }),
  showConfigureFailure: (reason) => ({ reason }),

  readSynthesisText: readText,
  sampleRate: 24_000,
  speakingMs: (text) => [...text].length * 60,
  speak: playLetters,
  frameMs: 100,
  frameIntervalMs: 0,
  showSpeechEnd: ({ index, durationMs }) => ({ type: 'SpeechEnd', index, duration: seconds(durationMs) }),
  charactersPerMinute: 10_000,

  isSettings: (message) => message['type'] === undefined || message['type'] === 'Settings',
  checkSettings: () => undefined,
  showSettingsAccepted: () => ({ type: 'SettingsAccepted' }),
  settingsMs: 20,
  agentTurnMs: 2_000,
  agentReply: ({ heard }) => `You said: ${heard}.`,
  showAgentText: ({ role, text, index }) => ({ type: 'ConversationText', role, text, turn: index }),
  showAgentAudioEnd: ({ index }) => ({ type: 'AgentAudioEnd', turn: index }),

  showTranscription: ({ words, durationMs, query, analysis }) => ({
    text: textOf(words),
    duration: seconds(durationMs),
    words: showWords(words),
    ...(isOn(query, 'summarize') ? { summary: analysis.summary } : {}),
    ...(isOn(query, 'sentiment') ? { sentiment: analysis.sentiment } : {}),
    ...(isOn(query, 'topics') ? { topics: analysis.topics } : {}),
    ...(isOn(query, 'intents') ? { intents: analysis.intents } : {}),
  }),
  readAnalysisText: readText,
  analyze,
  showAnalysis: ({ summary, sentiment, topics, intents }) => ({ summary, sentiment, topics, intents }),
  showModels: (models) => models.map(({ name, purpose }) => ({ name, purpose })),
  thinkModels: [{ name: 'emulator-echo' }],
  answerProjects: ({ method, path, body }) => ({
    status: 200,
    json: { method, path, ...(body === undefined ? {} : { body }) },
  }),
}
