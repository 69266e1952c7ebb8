import type { Clock, RandomSource } from '../core/clock.ts'
import type { DriftReport, Observe } from '../core/events.ts'
import type { Duration, OptionNames } from '../core/option-checks.ts'
import type { SocketFactory } from '../socket/socket.ts'
import type { ValidationMode } from './call-options.ts'
import type { Explain, RefineError } from './core.ts'
import type { Credential } from './credential.ts'
import type { Transport } from './transport.ts'

/** The options that every client has, whatever its service. All have a default. @public */
export interface CommonOptions {
  /**
   * Milliseconds for one attempt: connect, headers and body. While a file or a stream is uploaded it limits each silence, and
   * then the wait for the answer. Default: 60,000.
   */
  readonly timeoutMs?: number | undefined
  /** Limit for all attempts of a call and the waits between them, such as `'2m'`. Default: none beyond those of the attempts. */
  readonly deadline?: Duration | undefined
  readonly retry?: RetryOptions | undefined
  /** How what comes is checked: told of (`'report'`, the default), thrown (`'enforce'`) or not at all (`'off'`). */
  readonly validate?: ValidationMode | undefined
  /** Told where the service differs from the contract. Without it there is one process warning per place. */
  readonly onDrift?: ((report: DriftReport) => void) | undefined
  /** Receives the events of the client; nothing secret is in them. */
  readonly observe?: Observe | undefined
  /** Which response header holds the request id, where the service has one. Default: none is read. */
  readonly requestIdHeader?: string | undefined
  /**
   * Response headers with figures of a quota: `{ pagesPerMonth: 'name-of-the-header' }` gives `quota.pagesPerMonth` on every
   * answer and error. Default: none are read.
   */
  readonly quotaHeaders?: Readonly<Record<string, string>> | undefined
  /** Sent with every request, the upgrade to a WebSocket included, in addition to those of the contract. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A longer answer is refused. Default 134,217,728 (128 MiB). Streams are not limited. */
  readonly maxResponseBytes?: number | undefined
  /** How many connections to each server at most; Node only. Default 64. */
  readonly connections?: number | undefined
  /** What carries the requests. Default: undici in Node, fetch elsewhere; loaded with the first call. */
  readonly transport?: Transport | undefined
  /** Aborting it ends all calls, waits and connections, with the signal's own reason. */
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
  readonly random?: RandomSource | undefined
}

/** The names of {@link CommonOptions}, for a client that checks its own besides. @public */
export const COMMON_OPTIONS: OptionNames<CommonOptions> = {
  timeoutMs: true,
  deadline: true,
  retry: true,
  validate: true,
  onDrift: true,
  observe: true,
  requestIdHeader: true,
  quotaHeaders: true,
  headers: true,
  maxResponseBytes: true,
  connections: true,
  transport: true,
  signal: true,
  clock: true,
  random: true,
}

/** What a client is made from. Everything but `servers` has a default. @public */
export interface ClientOptions extends CommonOptions {
  /** Base addresses by the server names of the contract. They may carry a path prefix, which is kept. */
  readonly servers: Readonly<Record<string, string>>
  /** By the security scheme names of the contract. */
  readonly credentials?: Readonly<Record<string, Credential>> | undefined
  /** What opens sockets. Default: `ws` in Node, the host's `WebSocket` elsewhere; loaded with the first connection. */
  readonly socketFactory?: SocketFactory | undefined
  /** Turns an error body into a sentence for the error's message. For libraries built on this one. */
  readonly explain?: Explain | undefined
  /** Makes a service's own error of an answer. For libraries built on this one. */
  readonly refineError?: RefineError | undefined
}

/** How failed attempts are repeated. Whether they may be is the contract's to say, per operation. @public */
export interface RetryOptions {
  /** The first attempt included; 1 means no retry. Default 3. */
  readonly maxAttempts?: number | undefined
  /** The back-off is drawn between 0 and this, doubled for each retry. Default 500. */
  readonly baseMs?: number | undefined
  /** What the doubling stops at. Default 20,000. */
  readonly capMs?: number | undefined
  /** A service that asks for a longer wait gets none: its error is thrown at once. Default 60,000. */
  readonly maxRetryAfterMs?: number | undefined
  /** How many retries the client can make before calls have to pay for them. Default 20. */
  readonly budgetCapacity?: number | undefined
  /** What each call pays in: 0.1 is one retry for ten calls. Default 0.1. */
  readonly budgetPerCall?: number | undefined
}
