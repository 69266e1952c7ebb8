import type { RandomSource } from '../core/clock.ts'
import { OptionsError } from '../core/errors.ts'
import type { WaiterDescriptor } from '../core/operation.ts'
import { checkOptionNames, type Duration, type OptionNames, parseDuration } from '../core/option-checks.ts'

/** What a status means for a wait. @public */
export type OperationState = 'pending' | 'success' | 'failure'

/** What a caller can set about polling; all of it replaces what the contract recommends. @public */
export interface PollingOptions {
  /** From the submission to the first poll. */
  readonly firstDelayMs?: number
  /** The shortest time between an answer and the next poll; at least 1. */
  readonly minDelayMs?: number
  /** The longest. */
  readonly maxDelayMs?: number
  /** How long a wait lasts when it is given no deadline of its own. */
  readonly limit?: Duration
  /** Statuses in addition to those of the contract; a status that stands in both means what it means here. */
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
 * Refuses names that are not options of polling, so that a misspelt delay is not ignored.
 *
 * @param option - What the options were given as, such as `polling.job`.
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
 * What is used where neither the contract nor the caller says anything. These are the client's own choices; no
 * service's documentation stands behind them.
 *
 * @public
 */
export const POLLING_DEFAULTS = { minDelayMs: 5_000, maxDelayMs: 30_000, limitMs: 600_000 } as const

/** How the delays grow from the shortest to the longest; the client's own choice. */
const GROWTH = 1.5
/** How long before a deadline the last poll is sent, at most; a quarter of the wait where that is less. */
const LAST_POLL_LEAD_MS = 1_000

/** All that a wait has to know, checked and complete. */
export interface PollingPlan {
  readonly firstDelayMs: number
  readonly minDelayMs: number
  readonly maxDelayMs: number
  readonly limitMs: number
  readonly states: ReadonlyMap<string, OperationState>
}

/** Puts contract and caller together. @throws OptionsError for delays that make no sense. */
export function resolvePlan(waiter: WaiterDescriptor, options: PollingOptions = {}): PollingPlan {
  const minDelayMs = options.minDelayMs ?? waiter.minDelayMs ?? POLLING_DEFAULTS.minDelayMs
  // A caller who asks for a longer shortest delay alone does not mean to forbid it by the longest.
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
 * Draws the time from an answer to the next poll. The range moves up from the shortest delay to the longest, by half
 * each time, and the draw is from the upper part of it, so that many waits which began together drift apart.
 */
export function pollDelayMs(plan: PollingPlan, pollsBefore: number, random: RandomSource): number {
  const ceiling = Math.min(plan.maxDelayMs, plan.minDelayMs * GROWTH ** (pollsBefore + 1))
  const floor = Math.max(plan.minDelayMs, ceiling / GROWTH)
  const drawn = Math.round(floor + random() * (ceiling - floor))
  return Math.min(plan.maxDelayMs, Math.max(plan.minDelayMs, drawn))
}

/** When the last poll of a wait is due, counted from its start. */
export function lastPollMs(limitMs: number): number {
  return Math.floor(limitMs - Math.min(LAST_POLL_LEAD_MS, limitMs / 4))
}

/** The points in time between which the next poll is placed. */
export interface NextPoll {
  readonly now: number
  /** When it would be due if there were no deadline. */
  readonly naturalAt: number
  /** No ordinary poll may come before. */
  readonly earliestAt: number
  /** The last poll before a deadline may come before `earliestAt`, but not before this. */
  readonly earliestLastAt: number
  /** When the last poll before the nearest deadline is due; undefined when none is to come. */
  readonly lastAt: number | undefined
  readonly minDelayMs: number
}

/**
 * Places the next poll so that one falls just before the deadline and none comes too soon after another: where the
 * two would be too close, the earlier one moves forward, and where there is no room for that, it is left out. So the
 * gap before the last poll may be longer than the longest delay, but never shorter than the shortest. A poll that is
 * overdue is sent at once.
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
