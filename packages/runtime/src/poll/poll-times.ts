import type { RandomSource } from '../core/clock.ts'
import type { PollingPlan } from './polling-plan.ts'

/** By which factor the upper bound of delays grows with each poll; our choice, not from any service's documentation. */
const GROWTH = 1.5
/** The final poll is sent this long before the deadline, or a quarter of the wait before it if that is shorter. */
const FINAL_POLL_LEAD_MS = 1_000

/**
 * Picks a random delay between a response and the next poll. The upper bound grows by half each time, from the minimum
 * delay toward the maximum; the delay is at least two thirds of it. Jitter lets waits that began together drift apart.
 */
export function pollDelayMs(plan: PollingPlan, delaysPicked: number, random: RandomSource): number {
  const ceiling = Math.min(plan.maxDelayMs, plan.minDelayMs * GROWTH ** (delaysPicked + 1))
  const floor = Math.max(plan.minDelayMs, ceiling / GROWTH)
  const picked = Math.round(floor + random() * (ceiling - floor))
  return Math.min(plan.maxDelayMs, Math.max(plan.minDelayMs, picked))
}

/** Returns when the final poll of a wait is due, in milliseconds from its start. */
export function finalPollMs(limitMs: number): number {
  return Math.floor(limitMs - Math.min(FINAL_POLL_LEAD_MS, limitMs / 4))
}

/** The constraints on the time of the next poll; see the timeline in the comment of `PollLoop`. */
interface NextPoll {
  readonly now: number
  /** When the poll would be due without a deadline. */
  readonly naturalAt: number
  /** The earliest time of an ordinary poll. */
  readonly earliestAt: number
  /** The earliest time of the final poll before a deadline. */
  readonly earliestFinalAt: number
  /** When the final poll before the nearest deadline is due; `undefined` without a deadline. */
  readonly finalAt: number | undefined
  readonly minDelayMs: number
}

/**
 * Returns when to send the next poll. Where possible, a final poll comes just before the deadline. A poll that would be
 * too close to it is sent earlier, or skipped if sending it earlier would put it too close to the previous one. So the gap
 * before the final poll may be longer than the maximum delay, but never shorter than the minimum. An overdue poll is sent
 * at once.
 */
export function nextPollAt(next: NextPoll): number {
  const { now, naturalAt, earliestAt, earliestFinalAt, finalAt, minDelayMs } = next
  if (naturalAt <= now) return now
  if (finalAt === undefined || finalAt < earliestFinalAt) return naturalAt
  if (naturalAt >= finalAt) return finalAt
  if (finalAt - naturalAt >= minDelayMs) return naturalAt
  const sooner = finalAt - minDelayMs
  return sooner >= Math.max(now, earliestAt) ? sooner : finalAt
}
