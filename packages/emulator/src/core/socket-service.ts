import type { Channel, ChannelSpecification } from './channels.ts'
import type { Mismatch } from './errors.ts'
import type { Reply } from './reply.ts'

export interface Upgrade {
  /** The URL, with the scheme `http` or `https`. */
  readonly url: URL
  readonly headers: Headers
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** A handshake whose credential and query are valid. */
export interface Handshake<Caller> {
  readonly channel: Channel
  readonly query: URLSearchParams
  /** Absent only if the channel is public. */
  readonly caller?: Caller
}

/** An open connection, as the handler of its channel sees it. */
export interface Connection<Caller> {
  readonly handshake: Handshake<Caller>
  /** The connection's number, counted from 1. */
  readonly id: number
  /** When the connection opened, in milliseconds since the Unix epoch. */
  readonly openedAt: number
  readonly isOpen: boolean
  /**
   * Sends a message. `key` is the key of the message in the channel's definition. If the contract rejects the
   * message, throws an error, which ends the connection.
   */
  send(key: string, payload: unknown): void
  /** Closes the connection after all earlier messages have been sent. */
  close(code: number, reason: string): void
  /** The clock's monotonic time, in milliseconds. */
  monotonic(): number
  /** Runs the callback once, after `delayMs` of clock time, unless the connection has ended by then. */
  setTimer(callback: () => void, delayMs: number): { cancel(): void }
}

/** How a channel's handler reacts to events of a connection. */
export interface ConnectionHandler {
  /** The client sent a message that the contract accepts. */
  message(key: string, payload: unknown): void
  /** The client sent a frame that the contract rejects. The core has already recorded the violation. */
  rejected(mismatches: readonly Mismatch[], frame: string | Uint8Array): void
  closed?(): void
}

/** An error that the emulator's core detects. The service chooses the status and the message of the response. */
type UpgradeDenial =
  | { kind: 'key-missing' | 'key-invalid' }
  | { kind: 'query-rejected'; channel: Channel; mismatches: readonly Mismatch[] }

/** The reason why the core is about to close a connection. The service's `closeFor` can keep the connection open. */
export type CloseCause = 'idle' | 'empty-binary'

export interface SocketService<Caller> {
  readonly specification: ChannelSpecification
  /** The handlers of all channels of the contract, by the channel's `id`. */
  readonly handlers: Readonly<Record<string, (connection: Connection<Caller>) => ConnectionHandler>>
  /**
   * Returns a reply if the service denies the handshake. Otherwise, counts the connection toward the service's
   * connection limit, and returns a function that the core calls when the connection has ended.
   */
  admit(handshake: Handshake<Caller>): Reply | (() => void)
  deny(denial: UpgradeDenial): Reply
  /** Returns the code and the reason to close a connection with, or `undefined` to keep the connection open. */
  closeFor(
    cause: CloseCause,
    channel: Channel,
    connectionId: number,
  ): { code: number; reason: string } | undefined
  /** Whether a binary frame restarts the idle timer; by default, every binary frame does. */
  countsAsAudio?(frame: Uint8Array): boolean
  /** The maximum size of a message from a client. A larger message closes the connection with code 1009. */
  readonly messageLimitBytes: number
}

/** The emulator's end of an open WebSocket, in process or over the network. */
export interface Wire {
  /** Starts the closing handshake after all earlier frames have been sent. */
  close(code: number, reason: string): void
  send(frame: string | Uint8Array): void
  /** Closes the connection with code 1011 (internal error). An in-process client also gets `error`. */
  fail(error: Error): void
  /** Ends the connection immediately, without a closing handshake. */
  terminate(): void
  pause(): void
}

export interface WireEvents {
  /** A frame arrived: a string for a text frame, bytes for a binary frame. */
  frame(data: string | Uint8Array): void
  /** The connection has ended. Called once. */
  closed(code: number, reason: string): void
}

/** The WebSockets of a service, in process or over the network. */
export interface SocketEndpoint {
  readonly messageLimitBytes: number
  upgrade(upgrade: Upgrade): Promise<UpgradeResult>
  open(): OpenConnection[]
}

/** An open connection, as the control interface sees it. */
export interface OpenConnection {
  readonly id: number
  /** Sends any frame, without checking it against the contract. */
  sendRaw(frame: string | Uint8Array): void
  close(code: number, reason: string): void
  terminate(): void
}

export type UpgradeResult =
  | { denial: Response }
  | {
      denial?: undefined
      /** Starts the connection on an open wire. */
      accept(wire: Wire): WireEvents
      /** Called instead of `accept` if the client disconnects before the wire is open. */
      abandon(): void
    }
