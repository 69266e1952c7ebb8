/** One WebSocket connection. Holds no header, no query and no message, so no secret. @public */
export interface ConnectionRecord {
  /** Its number, from 1. */
  id: number
  /** The channel of the contract. */
  channel: string
  /** When it opened, in milliseconds since the Unix epoch, by the emulator's clock. */
  openedAt: number
  /** Messages of the client, and the bytes in them. */
  received: number
  receivedBytes: number
  /** Messages to the client, and the bytes in them. */
  sent: number
  sentBytes: number
  /** Messages of the client that the contract refuses. */
  refused: number
  /** The faults that happened to it. */
  faults: string[]
  /** How it ended; absent while it is open. */
  closed?: { at: number; code: number; reason: string; by: 'client' | 'emulator' }
}
