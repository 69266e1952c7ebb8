import type { Scrub } from '../core/redact.ts'
import type { RawSocket, SocketAnswer, SocketHandlers } from './socket.ts'

/** Who is told what happens on an open socket. */
export interface LinkOwner {
  onMessage(data: string | Uint8Array): void
  onFlushed(): void
  onClosed(end: LinkEnd): void
}

/** How an open socket ended. */
export interface LinkEnd {
  readonly closeCode: number
  readonly reason: string
  readonly error?: unknown
}

/** How a handshake ended other than with an open socket. */
export class Refused {
  readonly answer: SocketAnswer
  constructor(answer: SocketAnswer) {
    this.answer = answer
  }
}

/** What the network said, so that it is not taken for the reason of an abort. */
export class NetworkFailure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** One socket from its handshake to its end. What comes before it has an owner is kept for the owner. */
export class Link implements SocketHandlers {
  /** Takes out of a text what must not be shown of the handshake. */
  readonly scrub: Scrub
  readonly #opening = Promise.withResolvers<void>()
  #socket: RawSocket | undefined = undefined
  #owner: LinkOwner | undefined = undefined
  #early: (string | Uint8Array)[] = []
  #end: LinkEnd | undefined = undefined

  constructor(scrub: Scrub) {
    this.scrub = scrub
    // Nobody may be waiting any more when it fails.
    this.#opening.promise.catch(() => undefined)
  }

  /** Settles once it is open; rejects with {@link Refused} or {@link NetworkFailure}. */
  get whenOpen(): Promise<void> {
    return this.#opening.promise
  }

  /** The socket is handed in after it was made, since making it takes the handlers. */
  use(socket: RawSocket): void {
    this.#socket = socket
  }

  own(owner: LinkOwner): void {
    this.#owner = owner
    const early = this.#early
    this.#early = []
    for (const data of early) owner.onMessage(data)
    if (this.#end !== undefined) owner.onClosed(this.#end)
  }

  get open(): boolean {
    return this.#socket?.open === true
  }

  get bufferedBytes(): number {
    return this.#socket?.bufferedBytes ?? 0
  }

  send(data: string | Uint8Array, notify: boolean): void {
    this.#socket?.send(data, notify)
  }

  /** Answers whether the host can stop reading. */
  pause(): boolean {
    if (this.#socket?.pause === undefined) return false
    this.#socket.pause()
    return true
  }

  resume(): void {
    this.#socket?.resume?.()
  }

  close(code: number, reason: string): void {
    this.#socket?.close(code, reason)
  }

  terminate(): void {
    this.#socket?.terminate()
  }

  opened(): void {
    this.#opening.resolve()
  }

  refused(answer: SocketAnswer): void {
    this.#opening.reject(new Refused(answer))
  }

  failed(error: unknown): void {
    this.#opening.reject(new NetworkFailure(error))
  }

  message(data: string | Uint8Array): void {
    if (this.#owner === undefined) this.#early.push(data)
    else this.#owner.onMessage(data)
  }

  flushed(): void {
    this.#owner?.onFlushed()
  }

  closed(closeCode: number, said: string, error?: unknown): void {
    if (this.#end !== undefined) return
    // A server may quote the credential in what it says last.
    const reason = this.scrub(said)
    this.#end = error === undefined ? { closeCode, reason } : { closeCode, reason, error }
    this.#opening.reject(new NetworkFailure(error ?? new Error('The socket closed before it was open.')))
    this.#owner?.onClosed(this.#end)
  }
}
