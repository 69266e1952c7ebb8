import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  OptionsError,
  outcomeOf,
  RateLimitedError,
  SubmissionUncertainError,
  TimeoutError,
} from '@concord/runtime'
import { isAboutRequest, isOfCaller, retry, type ClientRetry, type Retried } from '@concord/runtime/internal'

import type { PreparedRequest } from '../preparation.ts'
import { Throttle, type Permit } from './throttle.ts'
import type { BatchRecord, ReplacedTask, SubmissionResponse } from './journal.ts'
import type { BatchSettings } from './options.ts'
import type { BatchState } from './state.ts'

/** How long the whole batch pauses after a failure that can affect all requests, such as an exceeded quota. */
const BACKOFF = { baseMs: 1_000, capMs: 15 * 60_000 }

/** A daily quota resets within 24 hours, so failures that last for 25 hours have another cause. */
const RETRY_FOR_MS = 25 * 60 * 60 * 1_000

export interface SubmitterTools {
  readonly state: BatchState
  readonly settings: BatchSettings
  readonly terms: ClientRetry
  /** Ends all waits. Once it is aborted, nothing more is sent. */
  readonly stop: AbortSignal
  /** Ends submissions in progress. */
  readonly cut: AbortSignal
  /** Sends a request in a single attempt. @returns the id of the task. */
  send(request: PreparedRequest, signal: AbortSignal): Promise<string>
  /** Makes a record durable. If that fails, `stop` is aborted. */
  record(record: BatchRecord): Promise<void>
  onPause(): void
}

export interface Replacement {
  readonly replaces: ReplacedTask
  readonly changes: Readonly<Record<string, unknown>>
}

/** Submits the requests of a batch. Each attempt is recorded before it is sent. */
export class Submitter {
  readonly #tools: SubmitterTools
  readonly #throttle: Throttle
  #hasResponded = false
  /** The reason why the batch stopped submitting. */
  ended: { readonly error: unknown } | undefined = undefined

  constructor(tools: SubmitterTools) {
    this.#tools = tools
    this.#throttle = new Throttle(tools.terms.clock)
  }

  get pauseMs(): number {
    return this.#throttle.pauseMs
  }

  /**
   * Submits a request, and retries failed attempts if another attempt may help.
   *
   * @throws the reason why the request was not accepted. The outcome is in the request's state.
   */
  async submit(index: number, request: PreparedRequest, replacement: Replacement | undefined): Promise<void> {
    const { terms, stop, state } = this.#tools
    const item = state.item(index)
    const replacedBefore = item.replaced.length
    /** The permit of the last attempt, if it failed and another attempt may help. */
    let retriable: Permit | undefined
    const job: Retried<void> = {
      ...terms,
      backoff: BACKOFF,
      // The throttle pauses the whole batch, so a retry budget isn't needed. `#outcomeOf` checks `maxAttempts`.
      budget: undefined,
      maxAttempts: undefined,
      maxRetryAfterMs: undefined,
      signals: [...terms.signals, stop],
      attempt: async () => {
        retriable = undefined
        const permit = await this.#throttle.permit(stop)
        try {
          // Only the first `intent` record contains the replacement, because a task can't be replaced twice.
          const isFirst = item.replaced.length === replacedBefore
          await this.#attempt(index, request, isFirst ? replacement : undefined)
          this.#hasResponded = true
          this.#throttle.accepted(permit)
        } catch (error) {
          if (this.#judge(index, error, request)) retriable = permit
          else this.#throttle.release(permit)
          throw error
        }
      },
      again: () => {
        if (retriable === undefined) return false
        // The delay grows with the failures of the whole batch, not with the failures of this request.
        job.failures = this.#throttle.failed(retriable)
        return this.#throttle.failingMs < RETRY_FOR_MS
      },
      onRetry: async (retried) => {
        if (retriable !== undefined) this.#throttle.pause(retriable, retried.delayMs)
        this.#tools.onPause()
        await terms.onRetry(retried)
      },
    }
    try {
      await retry(job)
    } catch (error) {
      // Submissions have failed for too long. That concerns all requests, so the batch ends.
      if (retriable !== undefined && !stop.aborted) {
        this.#throttle.release(retriable)
        this.ended ??= { error }
      }
      throw error
    }
  }

  /**
   * Ends the batch if a submission with these changes could exceed `maxCredits`.
   *
   * @throws OptionsError in that case, and if the price is unknown. An unknown price doesn't end the batch.
   */
  enforceMaxCredits(index: number, changes: Readonly<Record<string, unknown>> = {}): void {
    const { state, settings } = this.#tools
    if (settings.maxCredits === Infinity) return
    const price = state.priceWith(index, changes)
    if (price === 'unknown') {
      throw new OptionsError(
        'maxCredits',
        'The price of this request is unknown, so it could exceed `maxCredits`.',
        'Pass the price as `credits: { min, max }`, next to `operation` and `request`, or omit `maxCredits`.',
      )
    }
    if (state.credits.max + price.max <= settings.maxCredits) return
    const error = new OptionsError(
      'maxCredits',
      `is ${settings.maxCredits}, and the next submission could exceed it. The submissions so far cost at most ` +
        `${state.credits.max} credits, and the next submission costs at most ${price.max}.`,
      'To continue, raise the limit and resume the batch. If it has no journal, start a new batch with the remaining requests.',
    )
    this.ended ??= { error }
    throw error
  }

  async #attempt(
    index: number,
    request: PreparedRequest,
    replacement: Replacement | undefined,
  ): Promise<void> {
    const { terms, stop, cut, record, send, state } = this.#tools
    if (this.ended !== undefined) throw this.ended.error
    this.enforceMaxCredits(index, replacement?.changes)
    const intent: BatchRecord = { type: 'intent', index, atMs: terms.clock.now(), ...replacement }
    await record(intent)
    const recordResponse = (rest: Omit<SubmissionResponse, 'type' | 'index'>) =>
      record({ type: 'answer', index, ...rest })
    if (stop.aborted) {
      await recordResponse({ outcome: 'dropped' })
      throw stop.reason
    }
    let taskId: string
    try {
      taskId = await send(request, cut)
    } catch (error) {
      const outcome = this.#outcomeOf(error, request, state.item(index).repeats)
      const status = statusOf(error)
      await recordResponse({
        outcome,
        ...(status !== undefined && { status }),
        reason: reasonOf(error),
      })
      throw error
    }
    await recordResponse({ outcome: 'accepted', taskId })
  }

  #outcomeOf(error: unknown, request: PreparedRequest, repeats: number): SubmissionResponse['outcome'] {
    const { settings, stop, cut } = this.#tools
    // The service may have accepted a submission that was aborted after `abortGrace`.
    if (cut.aborted && error === cut.reason) return 'uncertain'
    switch (outcomeOf(error)) {
      case 'not-sent':
      case 'denied':
        return isAboutRequest(statusOf(error) ?? 0) ? 'denied' : 'dropped'
      default:
        return mustRepeat(error, request) && repeats + 1 < settings.maxAttempts && !stop.aborted
          ? 'repeat'
          : 'uncertain'
    }
  }

  /** Returns whether another attempt can help. Also ends the batch if no request can succeed, such as after a 401. */
  #judge(index: number, error: unknown, request: PreparedRequest): boolean {
    const { state, stop, settings } = this.#tools
    if (stop.aborted || this.ended !== undefined || isOfCaller(error)) return false
    if (ApiError.is(error)) this.#hasResponded = true
    if (AuthenticationError.is(error)) this.ended ??= { error }
    if (state.item(index).phase !== 'open') return false
    if (RateLimitedError.is(error)) return error.retryHelps
    if (mustRepeat(error, request)) return true
    // Here, the phase is `open`, so a connection error or a timeout means that nothing was sent.
    const isUnsent = ConnectionError.is(error) || TimeoutError.is(error)
    // A service that has never responded may be unreachable for every request, so `maxAttempts` limits the attempts.
    const isReachable = this.#hasResponded || this.#throttle.failures + 1 < settings.maxAttempts
    if (isUnsent && !isReachable) this.ended ??= { error }
    return isUnsent && isReachable
  }
}

function statusOf(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { readonly status?: unknown }
  return typeof status === 'number' && !isOfCaller(error) ? status : undefined
}

/**
 * Returns whether the service's documentation says to repeat the request after this response, although the request
 * may have been accepted.
 */
function mustRepeat(error: unknown, { operation }: PreparedRequest): boolean {
  return (
    SubmissionUncertainError.is(error) &&
    error.status !== undefined &&
    (operation.retry.statuses ?? []).includes(error.status)
  )
}

/** Returns the message of an error, shortened for the journal. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.length > 500 ? `${text.slice(0, 500)}...` : text
}
