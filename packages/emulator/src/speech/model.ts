import type { Json } from '../core/json.ts'

/** Whom a credential stands for. */
export interface SpeechCaller {
  /** The API key; of a JWT, the one that it was granted to. */
  key: string
  /** When the JWT expires, in milliseconds since the Unix epoch; absent for an API key. */
  expiresAt?: number
}

/** The channels of the contract. @public */
export type SpeechChannel = 'liveTranscription' | 'conversation' | 'speechStream' | 'agent'

/** A word that was heard; times count from the beginning of the audio of its connection. @public */
export interface HeardWord {
  word: string
  startMs: number
  endMs: number
}

/** A piece of a transcript. @public */
export interface HeardSegment {
  words: readonly HeardWord[]
  startMs: number
  endMs: number
  /** The query of the URL. */
  query: URLSearchParams
}

/** Where a turn of a conversation stands. @public */
export type TurnStage = 'start' | 'update' | 'eager-end' | 'end'

/** A turn of a conversation, at one of its stages. @public */
export interface Turn extends HeardSegment {
  stage: TurnStage
  /** From 0. */
  index: number
}

/** The values that Configure changes, as they stand. @public */
export interface ConversationValues {
  /** By name, numbers as text. */
  thresholds: Readonly<Record<string, Json>>
  keyterms: readonly string[]
}

/** How an agent takes its part in a conversation. @public */
export interface AgentTurn {
  settings: Json
  /** What the user said. */
  heard: string
  /** From 0. */
  index: number
}
