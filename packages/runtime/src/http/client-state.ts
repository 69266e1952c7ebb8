import type { Clock, RandomSource, TimeLimits } from '../core/clock.ts'
import { type ApiError, ConnectionError, type ErrorResponse, OptionsError } from '../core/errors.ts'
import type { ClientEvent, DriftReport, Observe } from '../core/events.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { baseUrlOption } from '../core/option-checks.ts'
import type { RateLimit } from '../limit/limits.ts'
import type { BackoffOptions } from '../retry/retry.ts'
import type { SocketFactory } from '../socket/socket.ts'
import type { ValidationMode } from './call-options.ts'
import type { Credential } from './credential.ts'
import type { Transport } from './transport.ts'

/**
 * Returns the service's own reason from an error body, as a sentence for the error message. If the function throws or
 * returns nothing, the message quotes the reason that the runtime finds in the body.
 *
 * @public
 */
export type Explain = (body: unknown, status: number) => string | undefined

/**
 * Creates a service-specific error, for responses whose body says more than the status. If the function returns
 * `undefined` or throws, the call fails with the ordinary error for the status. The parameter `message` is the
 * message of the ordinary error.
 *
 * @public
 */
export type RefineError = (
  message: string,
  response: ErrorResponse,
  operation: string,
) => ApiError | undefined

/** A budget is counted in millionths of a retry, as integers, because sums of fractions have rounding errors. */
const UNIT = 1_000_000

/**
 * A token bucket that stops retry storms. Once the bucket is empty, each call causes at most `1 + perCall` requests
 * on average.
 */
export class RetryBudget {
  readonly #capacity: number
  readonly #perCall: number
  #tokens: number

  constructor({ capacity, perCall }: { readonly capacity: number; readonly perCall: number }) {
    this.#capacity = Math.round(capacity * UNIT)
    this.#perCall = Math.floor(perCall * UNIT)
    this.#tokens = this.#capacity
  }

  deposit(): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + this.#perCall)
  }

  withdraw(): boolean {
    if (this.#tokens < UNIT) return false
    this.#tokens -= UNIT
    return true
  }
}

/** A client's validated options, with all defaults filled in. */
export interface ClientCore {
  readonly servers: ReadonlyMap<string, BaseUrl>
  readonly credentials: ReadonlyMap<string, Credential>
  readonly credentialOptions: ReadonlyMap<string, string>
  /** Lowercase names with their values. */
  readonly headers: readonly (readonly [string, string])[]
  readonly timeoutMs: number
  readonly deadlineMs: number | undefined
  readonly maxAttempts: number
  readonly backoff: BackoffOptions
  readonly maxRetryAfterMs: number
  readonly budget: RetryBudget
  readonly validate: ValidationMode
  readonly maxResponseBytes: number
  readonly onDrift: ((report: DriftReport) => void) | undefined
  readonly rateLimit: RateLimit | undefined
  readonly observe: Observe | undefined
  readonly explain: Explain | undefined
  readonly refineError: RefineError | undefined
  readonly requestIdHeader: string | undefined
  /** Pairs: the caller's name of a quota, and the response header that contains it. */
  readonly quotaHeaders: readonly (readonly [string, string])[]
  readonly clock: Clock
  readonly random: RandomSource
  readonly limits: TimeLimits
  readonly signal: AbortSignal | undefined
  /** Loaded on first use, unless the caller passed one. */
  transport: Transport | undefined
  readonly loadTransport: (operation: string) => Promise<Transport>
  /** The prepared operations of the contract; see `planOf`. */
  readonly plans: WeakMap<OperationDescriptor, unknown>
  readonly socketFactory: SocketFactory | undefined
  /** Ends waits when the client is closed. */
  readonly closing: AbortController
  closed: boolean
}

/**
 * The internals of each client, for functions such as `stream`, `download` and `connect`. These functions aren't
 * methods of the client, so that bundlers can leave out those that an app doesn't use.
 */
const cores = new WeakMap<object, ClientCore>()

export function registerCore(client: object, core: ClientCore): void {
  cores.set(client, core)
}

/** @throws OptionsError if another copy of the package made the client; ConnectionError if the client is closed. */
export function coreOf(client: object, operation: string): ClientCore {
  const core = cores.get(client)
  if (core === undefined)
    throw new OptionsError(
      'client',
      'was not created by this copy of @concord/runtime.',
      'Import createClient() from the same copy, and pass the client that it returns.',
    )
  checkOpen(core, operation)
  return core
}

/**
 * @throws ConnectionError if the client is closed. If the client's own signal is aborted too, throws the signal's
 *   reason instead.
 */
export function checkOpen(core: ClientCore, operation: string): void {
  if (!core.closed) return
  core.signal?.throwIfAborted()
  throw clientClosed(operation)
}

export function clientClosed(operation?: string): ConnectionError {
  return new ConnectionError(
    `${operation === undefined ? 'The' : `${operation}: the`} client is closed. Create a new client for further calls.`,
    { phase: 'connect', sent: 'no' },
    { operation },
  )
}

export function emit(core: Pick<ClientCore, 'observe'>, event: ClientEvent): void {
  if (core.observe === undefined) return
  try {
    core.observe(event)
  } catch {
    // A failing observer must not fail the call.
  }
}

/** A base URL in two parts. @public */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string
  /** The path prefix, without a slash at its end; empty if the URL has no path. */
  readonly prefix: string
}

/**
 * Parses a base URL. The client appends the path of each operation to the prefix; it doesn't resolve the path against
 * the base URL.
 *
 * @throws OptionsError if the value isn't an absolute URL (in a browser, a path is also accepted), or if the value
 *   has a query, a fragment, a user name or a password.
 * @public
 */
export function parseBaseUrl(value: unknown, option: string): BaseUrl {
  const { origin, pathname } = new URL(baseUrlOption(value, option))
  return { origin, prefix: pathname.replace(/\/+$/, '') }
}
