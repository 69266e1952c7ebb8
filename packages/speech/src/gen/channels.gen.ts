// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.
import * as checks from './checks.gen.ts'
import type {
  AgentQuery,
  AudioFrame,
  Configure,
  ConfigureFailure,
  ConfigureSuccess,
  ConversationQuery,
  KeepAlive,
  LiveTranscriptionQuery,
  ServerEvent,
  Settings,
  Speak,
  SpeechStreamQuery,
} from '@concord/speech-validators'
import type { ChannelDescriptor } from '@concord/runtime'

/**
 * The messages that a client sends on `liveTranscription`.
 *
 * Hear live audio.
 *
 * The client sends audio, and KeepAlive during silence.
 *
 * @public
 */
export type LiveTranscriptionSends = {
  /**
   * A piece of audio, as a binary frame that is not empty.
   *
   * A binary frame, `application/octet-stream`.
   */
  readonly audio: AudioFrame
  /** Keeps a silent connection open. A text frame, never a binary one. */
  readonly keepAlive: KeepAlive
}

/**
 * The messages that a client receives on `liveTranscription`.
 *
 * Report what was said.
 *
 * The service sends transcript results, voice-activity events and utterance-end events.
 *
 * @public
 */
export type LiveTranscriptionReceives = {
  /** Any JSON message of the service that has no name in this document. */
  readonly serverEvent: ServerEvent
}

/**
 * Transcribes audio while it is being spoken.
 *
 * The connection closes after 10 seconds without audio. During silence, send KeepAlive every 3 to 5 seconds.
 *
 * `utterance_end_ms` controls whether the service emits voice-activity and utterance-end events.
 *
 * Undocumented:
 * - Transcript results, their names and payloads.
 * - The names and payloads of the voice-activity and utterance-end events, and whether anything besides `utterance_end_ms` switches them on.
 * - What a client sees when a binary KeepAlive stalls transcription, and what ends the stall.
 *
 * The WebSocket `/v1/listen`.
 *
 * @public
 * @see `specs/speech/asyncapi.yaml#/channels/liveTranscription`
 */
export const liveTranscription: ChannelDescriptor<LiveTranscriptionQuery, LiveTranscriptionSends, LiveTranscriptionReceives> = {
  id: 'liveTranscription',
  address: '/v1/listen',
  server: 'apiUrl',
  security: ['apiKey', 'accessToken'],
  securityOptional: true,
  query: [
    { name: 'model', required: false },
    { name: 'encoding', required: false },
    { name: 'language', required: false },
    { name: 'utterance_end_ms', required: false },
    { name: 'smart_format', required: false },
    { name: 'diarize', required: false },
    { name: 'punctuate', required: false },
    { name: 'summarize', required: false },
    { name: 'sentiment', required: false },
    { name: 'topics', required: false },
    { name: 'intents', required: false },
    { name: 'redact', required: false },
  ],
  queryCheck: checks.liveTranscriptionQuery,
  sends: {
    audio: { kind: 'binary', tags: [] },
    keepAlive: { kind: 'json', check: checks.keepAlive, tags: [{ pointer: '/type', equals: 'KeepAlive' }] },
  },
  receives: { serverEvent: { kind: 'json', check: checks.serverEvent, tags: [] } },
  replies: {},
  rules: {
    keepAlive: {
      message: 'keepAlive',
      payload: { type: 'KeepAlive' },
      minIntervalMs: 3000,
      maxIntervalMs: 5000,
    },
  },
  secrets: [],
}

/**
 * The messages that a client sends on `conversation`.
 *
 * Hear a conversation.
 *
 * The client sends audio.
 *
 * Configure turn detection.
 *
 * The client changes thresholds or key terms, and the service confirms or rejects them.
 *
 * @public
 */
export type ConversationSends = {
  /**
   * A piece of audio, as a binary frame that is not empty.
   *
   * A binary frame, `application/octet-stream`.
   */
  readonly audio: AudioFrame
  /**
   * Changes turn detection while the connection is open.
   *
   * The reply is `configureSuccess` or `configureFailure`.
   */
  readonly configure: Configure
}

/**
 * The messages that a client receives on `conversation`.
 *
 * Tell the turns.
 *
 * The service sends structured turn events.
 *
 * @public
 */
export type ConversationReceives = {
  /** Confirms a Configure and echoes the applied values. */
  readonly configureSuccess: ConfigureSuccess
  /** Denies a Configure. */
  readonly configureFailure: ConfigureFailure
  /** Any JSON message of the service that has no name in this document. */
  readonly serverEvent: ServerEvent
}

/**
 * Transcribes a conversation and detects its turns.
 *
 * Turn detection is built in: the service emits structured turn events with end-of-turn, eager end-of-turn and a
 * turn index. `Configure` changes the detection while the connection is open.
 *
 * This channel has far fewer options than `/v1/listen`.
 *
 * Undocumented:
 * - The names and payloads of turn events, and the transitions of a turn.
 * - Whether KeepAlive exists here, and when an idle connection closes.
 * - Which ConfigureSuccess or ConfigureFailure belongs to which Configure, if several are pending.
 * - How the service rejects an option that is unavailable here, or the model `flux`.
 *
 * The WebSocket `/v2/listen`.
 *
 * @public
 * @see `specs/speech/asyncapi.yaml#/channels/conversation`
 */
export const conversation: ChannelDescriptor<ConversationQuery, ConversationSends, ConversationReceives> = {
  id: 'conversation',
  address: '/v2/listen',
  server: 'apiUrl',
  security: ['apiKey', 'accessToken'],
  securityOptional: true,
  query: [
    { name: 'model', required: false },
    { name: 'language', required: false },
    { name: 'encoding', required: false },
  ],
  queryCheck: checks.conversationQuery,
  sends: {
    audio: { kind: 'binary', tags: [] },
    configure: { kind: 'json', check: checks.configure, tags: [{ pointer: '/type', equals: 'Configure' }] },
  },
  receives: {
    configureSuccess: {
      kind: 'json',
      check: checks.configureSuccess,
      tags: [{ pointer: '/type', equals: 'ConfigureSuccess' }],
    },
    configureFailure: {
      kind: 'json',
      check: checks.configureFailure,
      tags: [{ pointer: '/type', equals: 'ConfigureFailure' }],
    },
    serverEvent: { kind: 'json', check: checks.serverEvent, tags: [] },
  },
  replies: { configure: ['configureSuccess', 'configureFailure'] },
  rules: { replay: ['configure'] },
  secrets: [],
}

/**
 * The messages that a client sends on `speechStream`.
 *
 * Take text.
 *
 * The client sends text to speak.
 *
 * @public
 */
export type SpeechStreamSends = {
  /** Text to speak. */
  readonly speak: Speak
}

/**
 * The messages that a client receives on `speechStream`.
 *
 * Speak.
 *
 * The service sends audio.
 *
 * @public
 */
export type SpeechStreamReceives = {
  /**
   * A piece of audio, as a binary frame that is not empty.
   *
   * A binary frame, `application/octet-stream`.
   */
  readonly audio: AudioFrame
  /** Any JSON message of the service that has no name in this document. */
  readonly serverEvent: ServerEvent
}

/**
 * Synthesizes speech with low latency, from text that may arrive in pieces.
 *
 * The options are query parameters of the URL. The error DATA-0001 means that the character rate limit for synthesis
 * is reached: slow down instead of retrying immediately.
 *
 * Undocumented:
 * - What the service sends here. Audio in binary frames is the usual interpretation, and any other event is open.
 * - How a client recognizes the end of a text's audio.
 * - Messages that a client can send other than Speak.
 * - Whether KeepAlive exists here, and when an idle connection closes.
 *
 * The WebSocket `/v1/speak`.
 *
 * @public
 * @see `specs/speech/asyncapi.yaml#/channels/speechStream`
 */
export const speechStream: ChannelDescriptor<SpeechStreamQuery, SpeechStreamSends, SpeechStreamReceives> = {
  id: 'speechStream',
  address: '/v1/speak',
  server: 'apiUrl',
  security: ['apiKey', 'accessToken'],
  securityOptional: true,
  query: [],
  sends: { speak: { kind: 'json', check: checks.speak, tags: [] } },
  receives: {
    audio: { kind: 'binary', tags: [] },
    serverEvent: { kind: 'json', check: checks.serverEvent, tags: [] },
  },
  replies: {},
  rules: {},
  secrets: [],
}

/**
 * The messages that a client sends on `agent`.
 *
 * Hear the user.
 *
 * The client sends Settings, and audio once they are acknowledged.
 *
 * @public
 */
export type AgentSends = {
  /** Configures the complete pipeline of an agent. */
  readonly settings: Settings
  /**
   * A piece of audio, as a binary frame that is not empty.
   *
   * A binary frame, `application/octet-stream`.
   */
  readonly audio: AudioFrame
}

/**
 * The messages that a client receives on `agent`.
 *
 * Answer the user.
 *
 * The service acknowledges Settings, and sends audio and other events.
 *
 * @public
 */
export type AgentReceives = {
  /**
   * A piece of audio, as a binary frame that is not empty.
   *
   * A binary frame, `application/octet-stream`.
   */
  readonly audio: AudioFrame
  /** Any JSON message of the service that has no name in this document. */
  readonly serverEvent: ServerEvent
}

/**
 * Runs a complete voice agent, which listens, thinks and speaks.
 *
 * Speech to text, a configured language model and text to speech run inside the service. There are no query
 * parameters: all configuration is in `Settings`.
 *
 * `Settings` must be sent and acknowledged before any audio. Everything that is sent earlier is ignored, whether it is
 * audio or text.
 *
 * Undocumented:
 * - The name and shape of the acknowledgement of Settings.
 * - What the service sends here. Audio in binary frames is the usual interpretation, and any other event is open.
 * - Whether KeepAlive exists here, and when an idle connection closes.
 *
 * The WebSocket `/v1/agent/converse`.
 *
 * @public
 * @see `specs/speech/asyncapi.yaml#/channels/agent`
 */
export const agent: ChannelDescriptor<AgentQuery, AgentSends, AgentReceives> = {
  id: 'agent',
  address: '/v1/agent/converse',
  server: 'agentUrl',
  security: ['apiKey', 'accessToken'],
  securityOptional: true,
  query: [],
  sends: {
    settings: { kind: 'json', check: checks.settings, tags: [] },
    audio: { kind: 'binary', tags: [] },
  },
  receives: {
    audio: { kind: 'binary', tags: [] },
    serverEvent: { kind: 'json', check: checks.serverEvent, tags: [] },
  },
  replies: {},
  rules: { gate: { message: 'settings' }, replay: ['settings'] },
  secrets: [],
}
