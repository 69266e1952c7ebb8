import type { Json, JsonLike } from '../core/json.ts'
import type { CloseFrame, SpeechChannel } from './model.ts'

/** What goes wrong on an open connection. @public */
export type SocketProblem =
  /** DATA-0000. */
  | 'audio-mismatch'
  /** DATA-0001. */
  | 'character-rate'
  /** 400: a Speak message without text. */
  | 'empty-text'
  /** Settings that `checkConfiguration` refuses. */
  | 'settings-refused'
  /** A Configure that the contract rejects or `checkConfiguration` refuses. */
  | 'configure-refused'
  /** A message that the contract accepts, but that this channel does not take: neither audio nor one of its commands. */
  | 'message-unused'
  /** Any other message that the contract rejects. */
  | 'message-refused'

/** What a REST call or an upgrade is refused for. @public */
export type SpeechRefusal =
  | 'key-missing'
  | 'key-invalid'
  | 'token-expired'
  | 'too-many-connections'
  | 'query-refused'
  | 'request-refused'
  | 'body-too-large'
  | 'route-unknown'
  | 'method-unknown'
  | 'audio-mismatch'
  | 'empty-text'
  | 'character-rate'
  | 'server-error'

/** What is known about a problem, for its words. @public */
export interface SpeechFacts {
  reasons?: readonly string[]
  limit?: number
}

/** A message that has no documented answer. @public */
export interface UnansweredMessage {
  channel: SpeechChannel
  problem: SocketProblem
  /** The message: JSON, or text that is no JSON, or bytes. */
  message: Json | Uint8Array
  /** The code of the problem, such as `DATA-0000` where one is documented. */
  code: string
  /** The emulator's own words for it. */
  text: string
}

/** What is done about a message. @public */
export interface SocketAnswer {
  /** Messages to the client, in order. */
  send?: readonly JsonLike[]
  /** Closes the connection after them. */
  close?: CloseFrame
}
