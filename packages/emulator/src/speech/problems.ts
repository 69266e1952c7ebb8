/** What goes wrong on an open connection. @public */
export type SocketProblem =
  /** DATA-0000. */
  | 'audio-mismatch'
  /** DATA-0001. */
  | 'character-rate'
  /** 400: a Speak message without text. */
  | 'empty-text'
  /** Settings that `checkSettings` refuses. */
  | 'settings-refused'
  /** Any other message that the contract refuses. */
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
