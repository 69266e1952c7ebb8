import type { Clock, Timer } from '../core/clock.ts'
import type { Scrub } from '../core/redact.ts'
import type { RawSocket, SocketHandlers, UpgradeResponse } from './socket.ts'

/** Receives the events of an open socket. */
export interface LinkOwner {
  /** @param receivedMs When the message arrived, on the monotonic clock. */
  onMessage(data: string | Uint8Array, receivedMs: number): void
  onFlushed(): void
  onClosed(end: LinkEnd): void
}

export interface LinkEnd {
  readonly closeCode: number
  /** The server's close reason, with the secrets redacted. */
  readonly reason: string
  readonly error?: unknown
}

export class UpgradeDenied {
  readonly response: UpgradeResponse
  constructor(response: UpgradeResponse) {
    this.response = response
  }
}

/** Wraps the error of a handshake that failed on the network. */
export class NetworkFailure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** A link sends a ping each time it has sent this many bytes. The pong shows how much the server has received. */
const MARK_EVERY_BYTES = 262_144

/**
 * One socket from its handshake to its end. Messages that arrive before the link has an owner are kept for the owner.
 */
export class Link implements SocketHandlers {
  readonly #clock: Clock
  readonly #scrub: Scrub
  readonly #opening = Promise.withResolvers<void>()
  readonly #socket: RawSocket
  #owner: LinkOwner | undefined = undefined
  #early: (string | Uint8Array)[] = []
  #end: LinkEnd | undefined = undefined
  #onGone: (() => void) | undefined = undefined
  #sinceMarkBytes = 0
  #marks = 0
  /** The number of the latest ping that followed new messages. Its pong shows that the server has received them. */
  #dataMark = 0
  /** The number of the latest ping that was answered. All earlier pings count as answered. */
  confirmedMarks = 0
  /** When the server last showed a sign of life, on the monotonic clock. */
  lastLifeMs: number

  constructor(clock: Clock, scrub: Scrub, open: (handlers: SocketHandlers) => RawSocket) {
    this.#clock = clock
    this.#scrub = scrub
    this.lastLifeMs = clock.monotonic()
    // The handshake may fail after the caller has stopped waiting for it.
    this.#opening.promise.catch(() => undefined)
    this.#socket = open(this)
  }

  /** Resolves once the socket is open; rejects with {@link UpgradeDenied} or {@link NetworkFailure}. */
  get whenOpen(): Promise<void> {
    return this.#opening.promise
  }

  own(owner: LinkOwner): void {
    this.#owner = owner
    const early = this.#early
    this.#early = []
    for (const data of early) owner.onMessage(data, this.lastLifeMs)
    if (this.#end !== undefined) owner.onClosed(this.#end)
  }

  get open(): boolean {
    return this.#socket.open
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedBytes
  }

  get canPing(): boolean {
    return this.#socket.ping !== undefined
  }

  /** Like `confirmedMarks`, but pings after `#dataMark` don't count, because they confirm no new messages. */
  get confirmedData(): number {
    return Math.min(this.confirmedMarks, this.#dataMark)
  }

  /**
   * Whether the server has received every message. If the platform can't ping, this is whether every message was
   * written to the network.
   */
  get isSettled(): boolean {
    if (this.bufferedBytes > 0) return false
    return !this.canPing || (this.#sinceMarkBytes === 0 && this.confirmedMarks >= this.#dataMark)
  }

  send(data: string | Uint8Array, notify: boolean): void {
    this.#socket.send(data, notify)
    this.#sinceMarkBytes += data.length
    if (this.#sinceMarkBytes >= MARK_EVERY_BYTES) this.mark()
  }

  /** Sends a keep-alive message. No ping is sent to confirm that it was received. */
  sendIdle(text: string, notify: boolean): void {
    this.#socket.send(text, notify)
  }

  /** Sends a ping if the platform can. Returns the number of the latest ping. */
  mark(): number {
    if (!this.open) return this.#marks
    this.#marks += 1
    if (this.#sinceMarkBytes > 0) this.#dataMark = this.#marks
    this.#sinceMarkBytes = 0
    this.#socket.ping?.(this.#marks)
    return this.#marks
  }

  markRest(): void {
    if (this.#sinceMarkBytes > 0) this.mark()
  }

  /** Stops reading from the network. Returns false if the platform can't do that. */
  pause(): boolean {
    if (this.#socket.pause === undefined) return false
    this.#socket.pause()
    return true
  }

  resume(): void {
    this.#socket.resume?.()
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  /**
   * Closes the socket in the background. If it is still open after `timeoutMs`, terminates it. Calls `onGone` once
   * the socket is gone.
   */
  dismiss(timeoutMs: number, onGone: () => void): void {
    if (this.#end !== undefined) return onGone()
    this.#owner = NO_OWNER
    const timer: Timer = this.#clock.setTimer(() => {
      this.terminate()
      this.closed(1006, '')
    }, timeoutMs)
    this.#onGone = () => {
      timer.cancel()
      onGone()
    }
    this.resume()
    this.close(1000, '')
  }

  opened(): void {
    this.lastLifeMs = this.#clock.monotonic()
    this.#opening.resolve()
  }

  denied(response: UpgradeResponse): void {
    this.#opening.reject(new UpgradeDenied(response))
  }

  failed(error: unknown): void {
    this.#opening.reject(new NetworkFailure(error))
  }

  message(data: string | Uint8Array): void {
    this.lastLifeMs = this.#clock.monotonic()
    if (this.#owner === undefined) this.#early.push(data)
    else this.#owner.onMessage(data, this.lastLifeMs)
  }

  pong(mark: number): void {
    this.lastLifeMs = this.#clock.monotonic()
    // A server may answer only the latest of several pings (RFC 6455, section 5.5.3).
    if (mark > this.confirmedMarks && mark <= this.#marks) this.confirmedMarks = mark
  }

  flushed(): void {
    this.#owner?.onFlushed()
  }

  closed(closeCode: number, given: string, error?: unknown): void {
    if (this.#end !== undefined) return
    if (closeCode !== 1006) this.lastLifeMs = this.#clock.monotonic()
    // A server may quote the credential in its close reason.
    const reason = this.#scrub(given)
    this.#end = error === undefined ? { closeCode, reason } : { closeCode, reason, error }
    this.#opening.reject(new NetworkFailure(error ?? new Error('The socket was closed before it opened.')))
    this.#owner?.onClosed(this.#end)
    this.#onGone?.()
  }
}

/** Ignores the events of a socket that is being closed. */
const NO_OWNER: LinkOwner = {
  onMessage: () => undefined,
  onFlushed: () => undefined,
  onClosed: () => undefined,
}
