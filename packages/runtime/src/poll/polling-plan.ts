import { OptionsError } from '../core/errors.ts'
import type { WaiterDescriptor } from '../core/descriptors.ts'
import { checkOptionNames, type Duration, type OptionNames, parseDuration } from '../core/option-checks.ts'

/** The meaning of a status for a wait. @public */
export type OperationState = 'pending' | 'success' | 'failure'

/** A caller's polling options. Each replaces the contract's recommendation; `statuses` adds to its lists. @public */
export interface PollingOptions {
  /** The time from the submission to the first poll. */
  readonly firstDelayMs?: number
  /** The shortest time between a response and the next poll; at least 1. Hints and the final poll before a deadline may come sooner. */
  readonly minDelayMs?: number
  /** The longest time between a response and the next poll. */
  readonly maxDelayMs?: number
  /** The time limit for waits that don't set a deadline. */
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
 * Rejects unknown names of polling options, and values that can't be used. The errors name an option by its full path, such as
 * `polling.job.limit`.
 *
 * @param option - The name of the option that holds them, such as `polling.job`.
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

/**
 * The defaults if neither the contract nor the caller sets a value. They are the client's own choices, not from any
 * service's documentation.
 */
export const POLLING_DEFAULTS = { minDelayMs: 5_000, maxDelayMs: 30_000, limitMs: 600_000 } as const

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
  if (maxDelayMs < minDelayMs)
    throw new OptionsError(
      'maxDelayMs',
      `\`maxDelayMs\` (${maxDelayMs}) is less than \`minDelayMs\` (${minDelayMs}).`,
      'Raise it, or lower `minDelayMs` as well.',
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
    `\`${option}\` must be a number of milliseconds of at least ${least}.`,
    'Pass one, or omit it to use what the contract recommends.',
  )
}
