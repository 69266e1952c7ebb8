import type { RandomSource } from '../core/clock.ts'
import { OptionsError } from '../core/errors.ts'
import type { WaiterDescriptor } from '../core/operation.ts'
import { checkOptionNames, type Duration, type OptionNames, parseDuration } from '../core/option-checks.ts'

/** The meaning of a status for a wait. @public */
export type OperationState = 'pending' | 'success' | 'failure'

/** Polling options of a caller. Each replaces the recommendation of the contract. @public */
export interface PollingOptions {
  /** From the submission to the first poll. */
  readonly firstDelayMs?: number
  /** The shortest time between an answer and the next poll; at least 1. */
  readonly minDelayMs?: number
  /** The longest time between an answer and the next poll. */
  readonly maxDelayMs?: number
  /** The time limit of a wait without a deadline of its own. */
  readonly limit?: Duration
  /** Statuses in addition to those of the contract. If the contract lists the same status, the meaning passed here wins. */
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
 * Rejects unknown names of polling options, so that a misspelt delay is not ignored.
 *
 * @param option - The name of the option that holds them, such as `polling.job`.
 * @throws OptionsError
 * @public
 */
export function checkPollingNames(polling: PollingOptions | undefined, option: string): void {
  if (polling === undefined) return
  checkOptionNames(polling, NAMES, option)
  const { statuses } = polling
  if (statuses !== undefined) checkOptionNames(statuses, STATUS_LISTS, `${option}.statuses`)
}

/**
 * The defaults if neither the contract nor the caller sets a value. They are the client's own choices, and not from the
 * documentation of any service.
 *
 * @public
 */
export const POLLING_DEFAULTS = { minDelayMs: 5_000, maxDelayMs: 30_000, limitMs: 600_000 } as const

/** The factor by which delays grow from the shortest to the longest; our choice, not from any service's documentation. */
const GROWTH = 1.5
/** How long before a deadline the last poll is sent, or a quarter of the wait if that is shorter. */
const LAST_POLL_LEAD_MS = 1_000

/** The polling options and the contract's recommendations, merged and checked. */
export interface PollingPlan {
  readonly firstDelayMs: number
  readonly minDelayMs: number
  readonly maxDelayMs: number
  readonly limitMs: number
  readonly states: ReadonlyMap<string, OperationState>
}

/** Merges the contract's recommendations and the caller's options. @throws OptionsError for unusable delays. */
export function resolvePlan(waiter: WaiterDescriptor, options: PollingOptions = {}): PollingPlan {
  const minDelayMs = options.minDelayMs ?? waiter.minDelayMs ?? POLLING_DEFAULTS.minDelayMs
  // A caller who only raises the shortest delay expects the longest to follow.
  const maxDelayMs =
    options.maxDelayMs ?? Math.max(minDelayMs, waiter.maxDelayMs ?? POLLING_DEFAULTS.maxDelayMs)
  const firstDelayMs = options.firstDelayMs ?? waiter.firstDelayMs ?? minDelayMs
  checkDelay('firstDelayMs', firstDelayMs, 0)
  checkDelay('minDelayMs', minDelayMs, 1)
  checkDelay('maxDelayMs', maxDelayMs, minDelayMs)
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

function checkDelay(option: string, value: number, least: number): void {
  if (Number.isFinite(value) && value >= least) return
  throw new OptionsError(
    option,
    `\`${option}\` must be a delay of at least ${least} ms.`,
    'Pass milliseconds; maxDelayMs must not be below minDelayMs.',
  )
}

/**
 * Draws the time from an answer to the next poll. The upper bound grows by half each time, from the shortest delay
 * toward the longest; the delay is drawn from the upper part of the range. Jitter lets waits that began together drift
 * apart.
 */
export function pollDelayMs(plan: PollingPlan, pollsBefore: number, random: RandomSource): number {
  const ceiling = Math.min(plan.maxDelayMs, plan.minDelayMs * GROWTH ** (pollsBefore + 1))
  const floor = Math.max(plan.minDelayMs, ceiling / GROWTH)
  const drawn = Math.round(floor + random() * (ceiling - floor))
  return Math.min(plan.maxDelayMs, Math.max(plan.minDelayMs, drawn))
}

/** When the last poll of a wait is due, in milliseconds from its start. */
export function lastPollMs(limitMs: number): number {
  return Math.floor(limitMs - Math.min(LAST_POLL_LEAD_MS, limitMs / 4))
}

/** The constraints on the time of the next poll; see the timeline in the comment of `PollLoop`. */
export interface NextPoll {
  readonly now: number
  /** When it would be due without a deadline. */
  readonly naturalAt: number
  /** The earliest time of an ordinary poll. */
  readonly earliestAt: number
  /** The earliest time of the last poll before a deadline. */
  readonly earliestLastAt: number
  /** When the last poll before the nearest deadline is due; `undefined` without a deadline. */
  readonly lastAt: number | undefined
  readonly minDelayMs: number
}

/**
 * Returns the time of the next poll, such that one comes just before the deadline and no two are too close. If the next
 * poll would be too close to the final one, it moves earlier, or is omitted if that leaves no room. So the
 * gap before the last poll may be longer than the longest delay, but never shorter than the shortest. An overdue poll is
 * sent at once.
 */
export function nextPollAt(next: NextPoll): number {
  const { now, naturalAt, earliestAt, earliestLastAt, lastAt, minDelayMs } = next
  if (naturalAt <= now) return now
  if (lastAt === undefined || lastAt < earliestLastAt) return naturalAt
  if (naturalAt >= lastAt) return lastAt
  if (lastAt - naturalAt >= minDelayMs) return naturalAt
  const sooner = lastAt - minDelayMs
  return sooner >= Math.max(now, earliestAt) ? sooner : lastAt
}
