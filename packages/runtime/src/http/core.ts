import type { Clock, RandomSource } from '../core/clock.ts'
import type { ApiError, ErrorAnswer } from '../core/errors.ts'
import type { DriftReport, Observe } from '../core/events.ts'
import type { TimeLimits } from '../core/time-limits.ts'
import type { BackoffOptions } from '../retry/backoff.ts'
import type { RetryBudget } from '../retry/budget.ts'
import type { SocketFactory } from '../socket/socket.ts'
import type { BaseAddress } from './address.ts'
import type { ValidationMode } from './call-options.ts'
import type { Credential } from './credential.ts'
import type { Transport } from './transport.ts'

/** Turns an error body into a sentence for the error's message; services know where theirs stands. @public */
export type Explain = (body: unknown, status: number) => string | undefined

/**
 * Makes a service's own error of an answer that it knows more about than its status; `undefined` leaves the ordinary
 * one. The message is the ordinary one's.
 *
 * @public
 */
export type RefineError = (message: string, answer: ErrorAnswer, operation: string) => ApiError | undefined

/** A client's options once they are checked, with all defaults filled in. */
export interface ClientCore {
  readonly servers: ReadonlyMap<string, BaseAddress>
  readonly credentials: ReadonlyMap<string, Credential>
  /** Names, in lower case, with their values. */
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
  readonly observe: Observe | undefined
  readonly explain: Explain | undefined
  readonly refineError: RefineError | undefined
  readonly requestIdHeader: string | undefined
  /** The caller's name and the header's, for each. */
  readonly quotaHeaders: readonly (readonly [string, string])[]
  readonly clock: Clock
  readonly random: RandomSource
  readonly limits: TimeLimits
  readonly signal: AbortSignal | undefined
  /** The transport; loaded when first needed, unless the caller gave one. */
  transport: Transport | undefined
  readonly loadTransport: () => Promise<Transport>
  readonly socketFactory: SocketFactory | undefined
  /** Ends waits when the client is closed. */
  readonly closing: AbortController
  /** The signal of `closing`, for those who want a list. */
  readonly closingSignals: readonly AbortSignal[]
  closed: boolean
}
