import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  OptionsError,
  outcomeOf,
  RateLimitedError,
  retry,
  SubmissionUncertainError,
  TimeoutError,
  type ClientRetry,
  type Retried,
} from '@concord/runtime'

import type { PreparedRequest } from '../requests.ts'
import { Gate, type Pass } from './gate.ts'
import type { BatchRecord, ReplacedTask, SubmissionAnswer } from './journal.ts'
import type { BatchSettings } from './options.ts'
import type { BatchState } from './state.ts'

/** The pause of the whole batch after a denial or an overload: up to this, doubled each time. */
const BACKOFF = { baseMs: 1_000, capMs: 15 * 60_000 }

/** The daily quota is counted over 24 hours: what is denied for longer than this is not denied for the quota. */
const PATIENCE_MS = 25 * 60 * 60 * 1_000

/** Denials that say nothing about the request: the key, the balance, the permission, the time, the rate. */
const NOT_THE_REQUEST: readonly number[] = [401, 402, 403, 408, 429]

/** What a submission of a batch works with. */
export interface SubmitterTools {
  readonly state: BatchState
  readonly settings: BatchSettings
  readonly terms: ClientRetry
  /** Ends the waiting; nothing is sent after it. */
  readonly stop: AbortSignal
  /** Ends what is under way. */
  readonly cut: AbortSignal
  /** Sends one request, once. @returns the id of the task. */
  send(request: PreparedRequest, signal: AbortSignal): Promise<string>
  /** Makes a record durable. `false` when that failed, and the batch is ending. */
  record(record: BatchRecord): Promise<boolean>
  /** Something about the pauses has changed. */
  changed(): void
}

/** A submission in place of a task that failed. */
export interface Replacement {
  readonly replaces: ReplacedTask
  readonly changes: Readonly<Record<string, unknown>>
}

/** Submits the requests of a batch: one attempt after the other, each of them recorded before it is sent. */
export class Submitter {
  readonly #tools: SubmitterTools
  readonly #gate: Gate
  #answered = false
  /** Why nothing more is submitted. */
  ended: { readonly error: unknown } | undefined = undefined

  constructor(tools: SubmitterTools) {
    this.#tools = tools
    this.#gate = new Gate(tools.terms.clock)
  }

  get pauseMs(): number {
    return this.#gate.pauseMs
  }

  /**
   * Submits until the request is accepted, or cannot be for a reason that another attempt doesn't help against.
   *
   * @throws why it was not accepted; the state of the request says what that means.
   */
  async submit(index: number, request: PreparedRequest, replacement: Replacement | undefined): Promise<void> {
    const { terms, stop, state } = this.#tools
    const replacedBefore = state.items[index]?.replaced.length
    let pass: Pass | undefined
    let helps = false
    const job: Retried<void> = {
      ...terms,
      backoff: BACKOFF,
      // The gate holds the whole batch back, so a budget for storms isn't needed; attempts are counted in the state.
      budget: undefined,
      maxAttempts: undefined,
      maxRetryAfterMs: undefined,
      signals: [...(terms.signals ?? []), stop],
      attempt: async () => {
        helps = false
        pass = await this.#gate.pass(stop)
        try {
          // One intent says what is replaced; a repetition sends the same again.
          const isFirst = state.items[index]?.replaced.length === replacedBefore
          await this.#attempt(index, request, isFirst ? replacement : undefined)
          this.#answered = true
          this.#gate.opened(pass)
        } catch (error) {
          helps = this.#helps(index, error, request)
          if (!helps) this.#gate.left(pass)
          throw error
        }
      },
      again: () => {
        if (!helps || pass === undefined) return false
        job.failures = this.#gate.failed(pass)
        return this.#gate.closedMs < PATIENCE_MS
      },
      onRetry: async (retried) => {
        if (pass !== undefined) this.#gate.pause(pass, retried.delayMs)
        this.#tools.changed()
        await terms.onRetry(retried)
      },
    }
    try {
      await retry(job)
    } catch (error) {
      // It would help, and the patience is at its end. So it is for all others.
      if (helps && pass !== undefined && !stop.aborted) {
        this.#gate.left(pass)
        this.ended ??= { error }
      }
      throw error
    }
  }

  /** Whether the credits of a submission with these changes are within the limit. @throws OptionsError */
  checkCredits(index: number, changes: Readonly<Record<string, unknown>> = {}): void {
    const { state, settings } = this.#tools
    if (settings.maxCredits === Infinity) return
    const price = state.priceWith(index, changes)
    if (price === 'unknown') {
      throw new OptionsError(
        'maxCredits',
        'The price of this request is not known, so it could exceed `maxCredits`.',
        'Say what it costs in `credits` of the request, or leave `maxCredits` out.',
      )
    }
    if (state.credits.max + price.max <= settings.maxCredits) return
    const error = new OptionsError(
      'maxCredits',
      `\`maxCredits\` is ${settings.maxCredits}: up to ${state.credits.max} credits may be spent already, and the next ` +
        `submission costs up to ${price.max}.`,
      'Raise it and resume the batch to go on.',
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
    this.checkCredits(index, replacement?.changes)
    const intent: BatchRecord = { type: 'intent', index, atMs: terms.clock.now(), ...replacement }
    const recorded = await record(intent)
    const answer = (rest: Omit<SubmissionAnswer, 'type' | 'index'>) =>
      record({ type: 'answer', index, ...rest })
    if (!recorded || stop.aborted) {
      await answer({ outcome: 'dropped' })
      throw stop.reason
    }
    let taskId: string
    try {
      taskId = await send(request, cut)
    } catch (error) {
      const { repeats = 0 } = state.items[index] ?? {}
      const outcome = this.#answerTo(error, request, repeats)
      const { status } = error as { readonly status?: number }
      await answer({
        outcome,
        ...(typeof status === 'number' && { status }),
        reason: reasonOf(error),
      })
      throw error
    }
    await answer({ outcome: 'accepted', taskId })
  }

  #answerTo(error: unknown, request: PreparedRequest, repeats: number): SubmissionAnswer['outcome'] {
    const { settings, stop } = this.#tools
    switch (outcomeOf(error)) {
      case 'not-sent':
        return 'dropped'
      case 'denied':
        return isForTheRequest(error) ? 'denied' : 'dropped'
      default:
        return isRepeated(error, request) && repeats + 1 < settings.maxAttempts && !stop.aborted
          ? 'repeat'
          : 'uncertain'
    }
  }

  /** Whether another attempt may be accepted. */
  #helps(index: number, error: unknown, request: PreparedRequest): boolean {
    const { state, stop, settings } = this.#tools
    if (stop.aborted || this.ended !== undefined) return false
    if (ApiError.is(error)) this.#answered = true
    // It would not be accepted for the others either.
    if (AuthenticationError.is(error)) this.ended ??= { error }
    const phase = state.items[index]?.phase
    if (phase !== 'open') return false
    if (RateLimitedError.is(error)) return error.retryHelps
    if (isRepeated(error, request)) return true
    const isUnsent = (ConnectionError.is(error) || TimeoutError.is(error)) && error.sent === 'no'
    // A service that never answered may not be there at all, for any request.
    const isThere = this.#answered || this.#gate.failures + 1 < settings.maxAttempts
    if (isUnsent && !isThere) this.ended ??= { error }
    return isUnsent && isThere
  }
}

/** Whether a denial means the request itself, which would be denied again. */
function isForTheRequest(error: unknown): boolean {
  const { status = 0 } = error as { readonly status?: number }
  return status >= 400 && status < 500 && !NOT_THE_REQUEST.includes(status)
}

/** Whether the documentation asks to send the same request again after this answer, although it may have been accepted. */
function isRepeated(error: unknown, { operation }: PreparedRequest): boolean {
  return (
    SubmissionUncertainError.is(error) &&
    error.status !== undefined &&
    (operation.retry.statuses ?? []).includes(error.status)
  )
}

/** An error in words that a journal may hold. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.length > 500 ? `${text.slice(0, 500)}...` : text
}
