import type { ReceivesOf } from '../core/channel.ts'
import type { Unsent } from '../core/errors.ts'

/** What a connection gives when it is iterated: messages in the order in which they came, and gaps between them. @public */
export type Received<Channel> = ReceivedMessage<Channel> | UnknownMessage | Reconnected

/** A message of the contract; `message` is its key there. @public */
export type ReceivedMessage<Channel> = {
  readonly [Key in keyof ReceivesOf<Channel> & string]: {
    readonly type: 'message'
    readonly message: Key
    readonly data: ReceivesOf<Channel>[Key]
  }
}[keyof ReceivesOf<Channel> & string]

/** A message that the contract does not know: parsed JSON, a text that is no JSON, or bytes. @public */
export interface UnknownMessage {
  readonly type: 'unknown'
  readonly message: undefined
  readonly data: unknown
}

/** The connection was lost at this point of the stream, and made again. @public */
export interface Reconnected {
  readonly type: 'reconnected'
  readonly message: undefined
  readonly data: Gap
}

/** What may have been lost between two connections. @public */
export interface Gap {
  /** The number of the new connection; that of the first is 0. */
  readonly connection: number
  /** How long there was no connection, in milliseconds. What the server said meanwhile, or was about to say, is lost. */
  readonly gapMs: number
  /** How often it was tried. */
  readonly attempts: number
  /** How the connection before ended. */
  readonly closeCode: number
  readonly reason: string
  /**
   * At the most what stood in the send buffer when the connection was lost; it is not sent again. What had left this
   * machine may not have arrived either: of that nobody knows.
   */
  readonly unsent: Unsent
  /** How many configuration messages were sent again. */
  readonly replayed: number
  /** Configuration messages that were too old to be kept, and were not sent again. Other than 0 only after 256 of them. */
  readonly forgotten: number
}

/** Where one connection of several stands in the whole; for re-basing time stamps. @public */
export interface ConnectionBase {
  /** 0 for the first. */
  readonly connection: number
  /** Milliseconds from the opening of the first connection to the opening of this one. */
  readonly offsetMs: number
  /** Bytes of binary messages that were sent on the connections before. */
  readonly binaryBytesBefore: number
}
