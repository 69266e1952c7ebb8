import type { Json, JsonLike, JsonObject } from '../core/json.ts'
import type { TextAnalysis } from './analysis.ts'

/** The caller that a credential identifies. */
export interface SpeechCaller {
  /** The API key. For a JWT, this is the API key that the JWT was issued for. */
  readonly key: string
  /** When the JWT expires, in milliseconds since the Unix epoch; absent for an API key. */
  readonly expiresAt?: number
}

/** The channels of the contract. @public */
export type SpeechChannel = 'liveTranscription' | 'conversation' | 'speechStream' | 'agent'

/** An operation or a channel of the contract, or `projects` for all paths under `/v1/projects`. @public */
export type SpeechTarget =
  | SpeechChannel
  | 'transcribe'
  | 'synthesize'
  | 'analyzeText'
  | 'listModels'
  | 'grantToken'
  | 'listThinkModels'
  | 'projects'

/** An audio container that the emulator recognizes by its first bytes. @public */
export type AudioContainer = 'wav' | 'ogg' | 'mp3'

/** How a connection is closed. @public */
export interface CloseFrame {
  readonly code: number
  readonly reason: string
}

/** A word in audio. On a connection, times are measured from the start of the connection's audio. @public */
export interface HeardWord {
  readonly word: string
  readonly startMs: number
  readonly endMs: number
}

/** A segment of a transcript. @public */
export interface HeardSegment {
  readonly words: readonly HeardWord[]
  readonly startMs: number
  readonly endMs: number
  /** The options in the URL's query. */
  readonly query: URLSearchParams
}

/** The stages of a turn in a conversation. @public */
export type TurnStage = 'start' | 'update' | 'eager-end' | 'end'

/** One stage of a turn in a conversation. @public */
export interface Turn extends HeardSegment {
  readonly stage: TurnStage
  /** The index of the turn on its connection, from 0. */
  index: number
}

/** The current values of the settings that a Configure message can change. @public */
export interface ConversationValues {
  /** The thresholds by name. Numbers are written as strings. */
  readonly thresholds: Readonly<Record<string, Json>>
  readonly keyterms: readonly string[]
}

/** The input of `choices.agentReply`. @public */
export interface AgentTurn {
  readonly settings: Json
  /** The user's words. */
  readonly heard: string
  /** The index of the turn on its connection, from 0. */
  index: number
}

/** A transcribed file. @public */
export interface TranscribedFile extends HeardSegment {
  readonly durationMs: number
  readonly analysis: TextAnalysis
}

/** The events that the channels send to the client. @public */
export type SpeechEvent =
  | ({ kind: 'transcript' } & HeardSegment)
  | { kind: 'voice-activity'; atMs: number }
  | { kind: 'utterance-end'; lastWordEndMs: number }
  | ({ kind: 'turn' } & Turn)
  | { kind: 'configured'; values: ConversationValues }
  | { kind: 'configuration-rejected'; reason: string }
  | { kind: 'speech-end'; index: number; durationMs: number }
  | { kind: 'settings-accepted'; settings: JsonObject }
  | { kind: 'agent-text'; role: 'user' | 'agent'; text: string; index: number }
  | { kind: 'agent-audio-end'; index: number }

/**
 * A successful REST response. `body` is the default JSON for `value`. `choices.successResponse` can change the
 * body. @public
 */
export type SpeechSuccess =
  | { operation: 'transcribe'; value: TranscribedFile; body: Json }
  | { operation: 'analyzeText'; value: TextAnalysis; body: Json }
  | { operation: 'listModels'; value: readonly { name: string; purpose: string }[]; body: Json }
  | { operation: 'grantToken'; value: { token: string; lifetimeSeconds: number }; body: Json }
  | { operation: 'listThinkModels'; value: readonly { name: string }[]; body: Json }
  | { operation: 'projects'; value: { method: string; path: string; body: Json | undefined }; body: Json }

/** The problems that can occur on an open connection. @public */
export type SocketProblem =
  /** Audio that doesn't match its `encoding`. The documented code is `DATA-0000`. */
  | 'audio-mismatch'
  /** A Speak message that exceeds the character rate limit. The documented code is `DATA-0001`. */
  | 'character-rate'
  /** A Speak message whose text is empty. The documented code is `400`. */
  | 'empty-text'
  /** Settings that `choices.checkConfiguration` rejects. */
  | 'settings-rejected'
  /** A Configure message that the contract or `choices.checkConfiguration` rejects. */
  | 'configure-rejected'
  /** A valid message on the channel `agent` that is neither audio nor Settings. */
  | 'message-unused'
  /** Any other invalid message. */
  | 'message-rejected'

/** The input of `choices.respondToMessage`: a message that causes a problem. @public */
export interface UnansweredMessage {
  readonly channel: SpeechChannel
  readonly problem: SocketProblem
  /** The message: JSON, a string that isn't JSON, or bytes. */
  readonly message: Json | Uint8Array
  /** The code of the problem: a documented code such as `DATA-0000`, or the value of `problem`. */
  readonly code: string
  /** The emulator's own description of the problem. */
  text: string
}

/** The response to a message that causes a problem. @public */
export interface SocketResponse {
  /** Messages to the client, in order. */
  readonly send?: readonly JsonLike[]
  /** How to close the connection after the messages; by default, it stays open. */
  readonly close?: CloseFrame
}
