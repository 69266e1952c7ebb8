import type { Json, JsonLike, JsonObject } from '../core/json.ts'
import type { TextAnalysis } from './analysis.ts'

/** Whom a credential stands for. */
export interface SpeechCaller {
  /** The API key; of a JWT, the one that it was granted to. */
  readonly key: string
  /** When the JWT expires, in milliseconds since the Unix epoch; absent for an API key. */
  readonly expiresAt?: number
}

/** The channels of the contract. @public */
export type SpeechChannel = 'liveTranscription' | 'conversation' | 'speechStream' | 'agent'

/** An operation or a channel of the contract; `projects` is the family of paths about projects. @public */
export type SpeechTarget =
  | SpeechChannel
  | 'transcribe'
  | 'synthesize'
  | 'analyzeText'
  | 'listModels'
  | 'grantToken'
  | 'listThinkModels'
  | 'projects'

/** How a connection is closed. @public */
export interface CloseFrame {
  readonly code: number
  readonly reason: string
}

/** A word that was heard; times count from the beginning of the audio of its connection. @public */
export interface HeardWord {
  readonly word: string
  readonly startMs: number
  readonly endMs: number
}

/** A piece of a transcript. @public */
export interface HeardSegment {
  readonly words: readonly HeardWord[]
  readonly startMs: number
  readonly endMs: number
  /** The query of the URL. */
  readonly query: URLSearchParams
}

/** Where a turn of a conversation stands. @public */
export type TurnStage = 'start' | 'update' | 'eager-end' | 'end'

/** A turn of a conversation, at one of its stages. @public */
export interface Turn extends HeardSegment {
  readonly stage: TurnStage
  /** From 0. */
  index: number
}

/** The values that Configure changes, as they stand. @public */
export interface ConversationValues {
  /** By name, numbers as text. */
  readonly thresholds: Readonly<Record<string, Json>>
  readonly keyterms: readonly string[]
}

/** How an agent takes its part in a conversation. @public */
export interface AgentTurn {
  readonly settings: Json
  /** The words of the user. */
  readonly heard: string
  /** From 0. */
  index: number
}

/** A file that was transcribed. @public */
export interface TranscribedFile extends HeardSegment {
  readonly durationMs: number
  readonly analysis: TextAnalysis
}

/** The events that a channel sends to the client. @public */
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

/** A success of REST: `value` is what `body` shows in the emulator's own way. @public */
export type SpeechSuccess =
  | { operation: 'transcribe'; value: TranscribedFile; body: Json }
  | { operation: 'analyzeText'; value: TextAnalysis; body: Json }
  | { operation: 'listModels'; value: readonly { name: string; purpose: string }[]; body: Json }
  | { operation: 'grantToken'; value: { token: string; lifetimeSeconds: number }; body: Json }
  | { operation: 'listThinkModels'; value: readonly { name: string }[]; body: Json }
  | { operation: 'projects'; value: { method: string; path: string; body: Json | undefined }; body: Json }

/** The problems of an open connection. @public */
export type SocketProblem =
  /** DATA-0000. */
  | 'audio-mismatch'
  /** DATA-0001. */
  | 'character-rate'
  /** 400: a Speak message without text. */
  | 'empty-text'
  /** Settings that `checkConfiguration` rejects. */
  | 'settings-rejected'
  /** A Configure that the contract rejects or `checkConfiguration` rejects. */
  | 'configure-rejected'
  /** A message that the contract accepts, but that this channel does not take: neither audio nor one of its commands. */
  | 'message-unused'
  /** Any other message that the contract rejects. */
  | 'message-rejected'

/** A message that has no documented answer. @public */
export interface UnansweredMessage {
  readonly channel: SpeechChannel
  readonly problem: SocketProblem
  /** The message: JSON, or text that isn't JSON, or bytes. */
  readonly message: Json | Uint8Array
  /** The code of the problem, such as `DATA-0000` if one is documented. */
  readonly code: string
  /** The emulator's own words for it. */
  text: string
}

/** The reaction to a message. @public */
export interface SocketAnswer {
  /** Messages to the client, in order. */
  readonly send?: readonly JsonLike[]
  /** Closes the connection after them. */
  readonly close?: CloseFrame
}
