import { ConcordError, type ConcordErrorOptions } from './error-base.ts'

/** What was given to a connection and never left this machine. @public */
export interface Unsent {
  /** Messages that were held back or stood in the send buffer; at the most, where a connection was lost. */
  readonly messages: number
  /** Their bytes. */
  readonly bytes: number
}

/** The answer with which a server refused to open a socket. @public */
export interface SocketRefusal {
  readonly status: number
  readonly headers: () => Headers
  /** At most the first 64 KiB. */
  readonly body: string
  /** How long the server asked to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** What a {@link SocketError} is made from. */
export interface SocketErrorDetails {
  readonly refusal?: SocketRefusal | undefined
  readonly closeCode?: number | undefined
  readonly reason?: string | undefined
  readonly unsent?: Unsent | undefined
}

/**
 * A socket was refused by the server (`socket-refused`), ended (`socket-closed`), or was given more than it may hold,
 * in one direction or the other (`socket-overflow`).
 *
 * @public
 */
export class SocketError extends ConcordError {
  static override readonly errorName: string = 'SocketError'

  /** The status of a refused upgrade, where the host shows it. */
  declare readonly status?: number
  /** How long the server asked to wait before the next try, in milliseconds. */
  declare readonly retryAfterMs?: number
  /** The close code of RFC 6455, section 7.4; 1006 where the connection was lost without one. */
  declare readonly closeCode?: number
  /** What was not sent. */
  declare readonly unsent?: Unsent
  readonly #refusal: SocketRefusal | undefined
  readonly #reason: string

  constructor(
    code: 'socket-refused' | 'socket-closed' | 'socket-overflow',
    message: string,
    details: SocketErrorDetails = {},
    options: ConcordErrorOptions = {},
  ) {
    super(code, message, options)
    const { refusal, closeCode, reason, unsent } = details
    this.#refusal = refusal
    this.#reason = reason ?? ''
    if (refusal !== undefined) this.status = refusal.status
    if (refusal?.retryAfterMs !== undefined) this.retryAfterMs = refusal.retryAfterMs
    if (closeCode !== undefined) this.closeCode = closeCode
    if (unsent !== undefined) this.unsent = unsent
  }

  /** The close reason as the server gave it; empty where there was none. */
  get reason(): string {
    return this.#reason
  }

  /** The headers of a refused upgrade; empty otherwise. Never part of a log of this error. */
  get headers(): Headers {
    return this.#refusal?.headers() ?? new Headers()
  }

  /** The body of a refused upgrade as text; empty otherwise. Never part of a log of this error. */
  get body(): string {
    return this.#refusal?.body ?? ''
  }
}
