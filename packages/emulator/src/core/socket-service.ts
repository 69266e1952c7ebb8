import type { Channel, ChannelSpecification } from './channels.ts'
import type { Mismatch } from './errors.ts'
import type { Reply } from './reply.ts'

/** A request to open a WebSocket. */
export interface Upgrade {
  /** With the scheme `http` or `https`. */
  readonly url: URL
  readonly headers: Headers
  readonly remoteAddress: string
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** A handshake for a channel, after its credential and its query were found right. */
export interface Handshake<Caller> {
  readonly channel: Channel
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly remoteAddress: string
  /** Absent on public channels. */
  readonly caller?: Caller
}

/** An open connection, as the handler of its channel sees it. */
export interface Connection<Caller> {
  readonly handshake: Handshake<Caller>
  /** Its number, from 1. */
  readonly id: number
  /** In milliseconds since the Unix epoch. */
  readonly openedAt: number
  readonly isOpen: boolean
  /** Sends a message of the contract, by its key. A message that the contract rejects ends the connection instead. */
  send(key: string, payload: unknown): void
  /** Closes the connection once everything sent earlier has gone out. */
  close(code: number, reason: string): void
  /** The clock's time that never goes back, in milliseconds. */
  monotonic(): number
  /** Calls back once after `delayMs` on the clock, unless the connection is over by then. */
  setTimer(callback: () => void, delayMs: number): { cancel(): void }
}

/** The reactions of a channel's handler to frames. */
export interface ConnectionHandler {
  /** A message that the contract accepts, by its key. */
  message(key: string, payload: unknown): void
  /** A frame that the contract rejects; it is in the journal already. */
  denied(mismatches: readonly Mismatch[], frame: string | Uint8Array): void
  /** The connection is over. */
  closed?(): void
}

/** The errors that the core detects; each service chooses the status and message. */
export type UpgradeDenial =
  | { kind: 'key-missing' | 'key-invalid' }
  | { kind: 'query-rejected'; channel: Channel; mismatches: readonly Mismatch[] }

/** Why the core closes a connection by itself. */
export type CloseCause = 'idle' | 'empty-binary'

/** The WebSocket half of a service. */
export interface SocketService<Caller> {
  readonly specification: ChannelSpecification
  /** By channel; exactly the channels of the contract. */
  readonly handlers: Readonly<Record<string, (connection: Connection<Caller>) => ConnectionHandler>>
  /** The caller of a credential at a handshake; undefined if it is not valid. */
  authenticate(value: string, scheme: string): Caller | undefined
  /** Rejects a handshake, or counts the connection and returns the function to call when it is over. */
  admit(handshake: Handshake<Caller>): Reply | (() => void)
  deny(denial: UpgradeDenial): Reply
  /** With which code and reason a connection is closed; `undefined` keeps it open. */
  closeFor(
    cause: CloseCause,
    channel: Channel,
    connectionId: number,
  ): { code: number; reason: string } | undefined
  /** Whether a binary frame counts against the time without audio; by default every one does. */
  countsAsAudio?(frame: Uint8Array): boolean
  /** Who connects without a valid credential; `undefined` if one is required. */
  publicCaller?(channel: string): Caller | undefined
  /** A longer message of a client closes the connection with code 1009. */
  readonly messageLimitBytes: number
}

/** The emulator's end of an open WebSocket, whatever carries it. */
export interface Wire {
  /** Starts to close the connection once everything sent earlier has gone out. */
  close(code: number, reason: string): void
  send(frame: string | Uint8Array): void
  /** Closes with code 1011 because of a mistake of the emulator's. A client in the same process is given the error. */
  fail(error: Error): void
  /** Ends the connection immediately, without a closing handshake. */
  terminate(): void
  /** Stops reading. */
  pause(): void
}

/** The events of a wire. */
export interface WireEvents {
  /** A text frame as a string, a binary frame as bytes. */
  frame(data: string | Uint8Array): void
  /** It is over; called once. */
  closed(code: number, reason: string): void
}

/** The WebSockets of a service, whatever carries them. */
export interface SocketEndpoint {
  /** A longer message of a client closes the connection with code 1009. */
  readonly messageLimitBytes: number
  /** Responds to the request for a WebSocket. */
  upgrade(upgrade: Upgrade): Promise<UpgradeResult>
  /** The open connections. */
  open(): OpenConnection[]
}

/** An open connection, as the control interface sees it. */
export interface OpenConnection {
  readonly id: number
  /** Sends any frame, whatever the contract says. */
  sendRaw(frame: string | Uint8Array): void
  close(code: number, reason: string): void
  terminate(): void
}

/** The answer to an upgrade. */
export type UpgradeResult =
  | { denial: Response }
  | {
      denial?: undefined
      /** Takes the open wire. */
      accept(wire: Wire): WireEvents
      /** The client went away before there was a wire. */
      abandon(): void
    }
