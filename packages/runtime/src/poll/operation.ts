import { ContractDriftError, OperationFailedError, OptionsError } from '../core/errors.ts'
import type { Observe } from '../core/events.ts'
import { checkOptionNames, type Duration, type OptionNames, parseDuration } from '../core/option-checks.ts'
import { readPointer } from '../core/json.ts'
import type { WaiterDescriptor } from '../core/descriptors.ts'
import type { PollScheduler } from './poll-scheduler.ts'

/** The response to a poll. The `Exchange` that a client call returns also has this shape. @public */
export interface PollResponse<Snapshot> {
  readonly data: Snapshot
  /**
   * How long the service asks the client to wait before the next poll, in milliseconds. If this field is absent, the
   * client reads `Retry-After` in `headers`.
   */
  readonly retryAfterMs?: number | undefined
  readonly headers?: { get(name: string): string | null } | undefined
  /** Removes the secrets of the request from a string before it is shown or logged. */
  scrub?(text: string): string
}

/** The state of an operation, as passed to `onUpdate` and yielded by iteration. @public */
export interface OperationUpdate<Snapshot> {
  readonly id: string
  /** The operation's latest status. `undefined` until a poll succeeds, unless the submission returned a status. */
  readonly status: string | undefined
  /** Milliseconds since the wait or the iteration began. */
  readonly elapsedMs: number
  /** How many polls were sent since the wait or the iteration began, including failed polls. */
  readonly polls: number
  /**
   * Milliseconds until the next poll is due; `undefined` once the operation has ended. If many polls are queued, the
   * poll may be sent later.
   */
  readonly nextPollInMs: number | undefined
  /** The full body of the most recent successful poll. */
  readonly snapshot: Snapshot | undefined
  /** Why the last poll failed, if it did. A failed poll doesn't affect the operation. */
  readonly pollError?: unknown
  /** How long the service asked the client to wait after the last poll, in milliseconds. Absent if it didn't ask. */
  readonly retryAfterMs?: number
}

/** Options that limit a wait. @public */
export interface ChangeOptions {
  /**
   * The time limit, in milliseconds or as a string such as `'5m'`. Default: `limit` in the polling options, if set;
   * else the contract's recommendation, if any; else 10 minutes.
   */
  readonly deadline?: Duration
  /** Aborting this signal ends the wait at once, with the signal's own reason. */
  readonly signal?: AbortSignal
}

export const CHANGE_OPTIONS: OptionNames<ChangeOptions> = { deadline: true, signal: true }

/** Options of `OperationHandle.wait`. @public */
export interface WaitOptions<Snapshot> extends ChangeOptions {
  /**
   * Called after every poll, unless the poll's error ends the wait. If this function throws an error, the wait throws
   * the same error.
   */
  readonly onUpdate?: (update: OperationUpdate<Snapshot>) => void
}

/** A failed operation, as passed to the `failure` option. @public */
export interface FailedOperation<Snapshot> {
  readonly id: string
  readonly status: string
  readonly snapshot: Snapshot
  /** The operationId of the API operation used for polling, such as `getJob`. */
  readonly operation: string | undefined
}

/** Fields that a resume token contains in addition to `kind` and `id`. @public */
export type OperationExtra = Readonly<Record<string, unknown>>

/** The options that all operations of one kind share. @public */
export interface OperationKindOptions<Snapshot, Result = Snapshot> {
  /** The name of the kind in resume tokens, such as `service.job`. The name must never change. */
  readonly kind: string
  /**
   * The word for the operation in error messages, such as `Job`. Within a sentence, the client writes it in
   * lowercase. Default: `Operation`.
   */
  readonly label?: string | undefined
  /**
   * The operationId of the API operation used for polling. Errors and events contain it. Without this option, events
   * contain `kind` instead.
   */
  readonly operation?: string | undefined
  /** The `waiter` field in the descriptor of the API operation used for polling. */
  readonly waiter: WaiterDescriptor
  readonly scheduler: PollScheduler
  /**
   * Polls the service once. The function shouldn't retry, because the next poll is the retry. It may return the
   * `Exchange` of a client call as it is.
   */
  readonly poll: (
    id: string,
    signal: AbortSignal,
    extra: OperationExtra | undefined,
  ) => Promise<PollResponse<Snapshot>>
  /** The polling options of the client, for all operations of this kind. */
  readonly polling?: PollingOptions | undefined
  /**
   * Makes the result of `wait` when the operation has succeeded. Default: the last snapshot. If this function throws,
   * all current waits throw its error, and a later wait polls and calls the function again. If `handle()` or
   * `attach()` receives a snapshot that shows success, it calls this function at once, and throws its error, if any.
   */
  readonly result?: ((snapshot: Snapshot, id: string) => Result) | undefined
  /**
   * Makes the error that `wait` throws when the operation has failed. Called once per handle. Default: an
   * `OperationFailedError` without a reason.
   */
  readonly failure?: ((failed: FailedOperation<Snapshot>) => OperationFailedError) | undefined
  /**
   * Receives a `poll` event after each poll. The event is omitted if the response contains no status, or if `result`
   * or `failure` throws an error. Receives a `retry` event after each failed poll that the client will repeat.
   */
  readonly observe?: Observe | undefined
}

export interface OperationSettings<Snapshot, Result> extends OperationKindOptions<Snapshot, Result> {
  readonly label: string
}

function statusOf<Snapshot>(
  settings: OperationSettings<Snapshot, unknown>,
  id: string,
  snapshot: Snapshot,
): string {
  const status = readPointer(snapshot, settings.waiter.status)
  if (typeof status === 'string') return status
  throw new ContractDriftError(
    `${settings.label} ${id}: the response contains no string at ${settings.waiter.status}, so the client can't tell whether the operation has ended. ` +
      "The response doesn't match the contract; see `error.data`.",
    [{ path: settings.waiter.status, reason: 'is not a string' }],
    snapshot,
    { operation: settings.operation },
  )
}

/** Returns the result of an operation that has ended, or the error that its waits throw. */
function finalOutcome<Snapshot, Result>(
  settings: OperationSettings<Snapshot, Result>,
  state: 'success' | 'failure',
  found: { readonly id: string; readonly status: string; readonly snapshot: Snapshot },
): Result | Snapshot | OperationFailedError {
  const { id, status, snapshot } = found
  const { label, operation } = settings
  if (state === 'success') return settings.result === undefined ? snapshot : settings.result(snapshot, id)
  if (settings.failure !== undefined) return settings.failure({ id, status, snapshot, operation })
  return new OperationFailedError(
    `${label} ${id} failed (the service reported status '${status}').`,
    { id, reason: '', advice: 'none' },
    { operation },
  )
}

/** The state of an operation, whether or not it is being polled. */
export class TrackedOperation<Snapshot, Result> {
  readonly settings: OperationSettings<Snapshot, Result>
  readonly scheduler: PollScheduler
  readonly schedule: PollSchedule
  readonly id: string
  readonly extra: OperationExtra | undefined
  /** The time (monotonic clock) at which the first poll is due. */
  readonly firstPollAt: number
  status: string | undefined = undefined
  snapshot: Snapshot | undefined = undefined
  state: OperationState = 'pending'
  /** The result, or the error, once the operation has ended. */
  outcome: unknown = undefined
  /** How many times the snapshot has changed. A snapshot that the handle began with counts as the first change. */
  version = 0
  polls = 0
  lastError: unknown = undefined
  /** Whether `wake` was called and no poll has been scheduled for that call yet. */
  woken = false
  /** Polls the operation. Created by the first wait. */
  loop: { wake(): void } | undefined = undefined

  constructor(
    settings: OperationSettings<Snapshot, Result>,
    schedule: PollSchedule,
    id: string,
    start: { readonly extra: OperationExtra | undefined; readonly firstDelayMs: number },
  ) {
    this.settings = settings
    this.scheduler = settings.scheduler
    this.schedule = schedule
    this.id = id
    this.extra = start.extra
    this.firstPollAt = this.scheduler.now() + start.firstDelayMs
  }

  wake(): void {
    this.woken = true
    this.loop?.wake()
  }

  /**
   * Starts from a status or snapshot that the caller already has, for example from the submission. Only a full snapshot
   * can show that the operation has ended.
   */
  adopt(status: string | undefined, snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) this.status = status
    else this.store(snapshot, true)
  }

  /**
   * Stores a snapshot, and derives the state and the outcome from it.
   *
   * @throws ContractDriftError if the snapshot has no status.
   * @throws Any error that the `result` or `failure` option throws.
   */
  store(snapshot: Snapshot, isNew: boolean): void {
    const { settings, id } = this
    const status = statusOf(settings, id, snapshot)
    const state = this.schedule.states.get(status) ?? 'pending'
    const outcome = state === 'pending' ? undefined : finalOutcome(settings, state, { id, status, snapshot })
    if (isNew) this.version += 1
    this.status = status
    this.snapshot = snapshot
    this.state = state
    this.outcome = outcome
  }
}

/** The state of an operation, as derived from its status. @public */
export type OperationState = 'pending' | 'success' | 'failure'

/**
 * A caller's polling options. They replace the contract's recommendations, except that `statuses` adds to the
 * contract's lists.
 *
 * @public
 */
export interface PollingOptions {
  /** The time from the submission to the first poll. */
  readonly firstDelayMs?: number
  /**
   * The shortest time between a response and the next poll. The value must be at least 1. A poll that `poll` or
   * `wake` requested, and the final poll before a deadline, may be sent sooner.
   */
  readonly minDelayMs?: number
  /** The longest time between a response and the next poll. */
  readonly maxDelayMs?: number
  /** The time limit for waits that don't set a deadline. */
  readonly limit?: Duration
  /** Statuses to add to the contract's lists. If the contract lists the same status, this option takes precedence. */
  readonly statuses?: {
    readonly pending?: readonly string[]
    readonly success?: readonly string[]
    readonly failure?: readonly string[]
  }
}

const NAMES: OptionNames<PollingOptions> = {
  firstDelayMs: true,
  minDelayMs: true,
  maxDelayMs: true,
  limit: true,
  statuses: true,
}
const STATUS_LISTS: OptionNames<NonNullable<PollingOptions['statuses']>> = {
  pending: true,
  success: true,
  failure: true,
}

/**
 * Rejects polling options with unknown names or unusable values. The errors name an option by its full path, such as
 * `polling.job.limit`.
 *
 * @param option - The name of the option that holds the polling options, such as `polling.job`.
 * @throws OptionsError
 * @public
 */
export function checkPollingNames(polling: PollingOptions | undefined, option: string): void {
  if (polling === undefined) return
  checkOptionNames(polling, NAMES, option)
  const { limit, statuses } = polling
  for (const name of ['firstDelayMs', 'minDelayMs', 'maxDelayMs'] as const)
    checkDelay(`${option}.${name}`, polling[name], name === 'firstDelayMs' ? 0 : 1)
  if (limit !== undefined) parseDuration(limit, `${option}.limit`)
  if (statuses !== undefined) checkOptionNames(statuses, STATUS_LISTS, `${option}.statuses`)
}

/** The client's own defaults, for values that neither the contract nor the caller sets. */
export const POLLING_DEFAULTS = { minDelayMs: 5_000, maxDelayMs: 30_000, limitMs: 600_000 } as const

/** When to poll an operation: the contract's recommendations and the caller's polling options, merged and checked. */
export interface PollSchedule {
  readonly firstDelayMs: number
  readonly minDelayMs: number
  readonly maxDelayMs: number
  readonly limitMs: number
  readonly states: ReadonlyMap<string, OperationState>
}

/** @throws OptionsError for unusable delays. */
export function toPollSchedule(waiter: WaiterDescriptor, options: PollingOptions = {}): PollSchedule {
  const minDelayMs = options.minDelayMs ?? waiter.minDelayMs ?? POLLING_DEFAULTS.minDelayMs
  // If a caller raises only `minDelayMs`, `maxDelayMs` rises with it if necessary.
  const maxDelayMs =
    options.maxDelayMs ?? Math.max(minDelayMs, waiter.maxDelayMs ?? POLLING_DEFAULTS.maxDelayMs)
  const firstDelayMs = options.firstDelayMs ?? waiter.firstDelayMs ?? minDelayMs
  if (maxDelayMs < minDelayMs)
    throw new OptionsError(
      'maxDelayMs',
      `\`maxDelayMs\` (${maxDelayMs}) is less than \`minDelayMs\` (${minDelayMs}).`,
      'Raise `maxDelayMs`, or pass a lower `minDelayMs`.',
    )
  const limitMs =
    options.limit === undefined
      ? (waiter.limitMs ?? POLLING_DEFAULTS.limitMs)
      : parseDuration(options.limit, 'limit')
  const states = new Map<string, OperationState>()
  for (const lists of [waiter, options.statuses ?? {}]) {
    for (const state of ['pending', 'success', 'failure'] as const) {
      for (const status of lists[state] ?? []) states.set(status, state)
    }
  }
  return { firstDelayMs, minDelayMs, maxDelayMs, limitMs, states }
}

function checkDelay(option: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isFinite(value) && value >= least)) return
  throw new OptionsError(
    option,
    `\`${option}\` must be a finite number of milliseconds, and at least ${least}.`,
    'Pass such a number, or omit the option to use the default.',
  )
}
