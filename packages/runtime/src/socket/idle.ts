import type { SocketRules } from '../core/descriptors.ts'
import type { Clock, Timer } from '../core/clock.ts'
import { wait } from '../core/async.ts'
import type { Link } from './link.ts'
import type { LivenessSettings } from './settings.ts'
import type { Outbox } from './outbox.ts'
import type { ReceiveQueue, Sized } from './receive-queue.ts'

/**
 * Sends the contract's keep-alive message whenever no binary message has been sent for a certain time. This time is
 * the midpoint between the contract's minimum and maximum intervals, so that a late timer or a slow network doesn't
 * violate the contract. Returns a function that stops the keep-alive.
 */
export function startKeepAlive(
  rule: NonNullable<SocketRules['keepAlive']>,
  clock: Clock,
  outbox: Pick<Outbox, 'lastActivityMs' | 'keepAlive'>,
): () => void {
  const text = JSON.stringify(rule.payload)
  const intervalMs = (rule.minIntervalMs + rule.maxIntervalMs) / 2
  const onTimer = (): void => {
    const dueInMs = intervalMs - (clock.monotonic() - outbox.lastActivityMs)
    if (dueInMs <= 0) outbox.keepAlive(text)
    timer = clock.setTimer(onTimer, Math.max(1, dueInMs > 0 ? dueInMs : intervalMs))
  }
  let timer = clock.setTimer(onTimer, Math.max(1, intervalMs))
  return () => timer.cancel()
}

/** If a timer is late by more than this, the process was suspended and couldn't see signs of life. */
const LATE_MS = 1_000

/** The connection that {@link watchLiveness} watches. */
interface LivenessOwner {
  /** Returns whether reading from the network is paused. While it is paused, the client can't see signs of life. */
  isPaused(): boolean
  /**
   * Raises or restores the limits of the receive queue. With raised limits, the client can read more from the
   * network, and can find signs of life behind unread messages.
   */
  readAhead(on: boolean): void
  /** Called when the server has shown no sign of life for `silentMs` and the connection counts as lost. */
  onSilence(silentMs: number): void
}

/**
 * Watches whether the server still shows signs of life, such as messages and pongs. With `inactivityMs`, the client
 * only limits how long the server may be silent. Without `inactivityMs`, if the platform can ping, the client pings a
 * silent server and then waits up to `pongTimeoutMs` for any sign of life. Returns a function that stops watching.
 */
export function watchLiveness(
  link: Link,
  clock: Clock,
  { inactivityMs, pingIntervalMs, pongTimeoutMs }: LivenessSettings,
  owner: LivenessOwner,
): () => void {
  const canAsk = inactivityMs === Infinity
  if (canAsk && (!link.canPing || pingIntervalMs === Infinity)) return () => undefined
  const firstMs = canAsk ? pingIntervalMs : inactivityMs
  /** The time limit for a sign of life after a ping. */
  const graceMs = canAsk ? pongTimeoutMs : inactivityMs
  let timer: Timer
  /** When the server was pinged; undefined if it was not pinged, or has shown a sign of life since the ping. */
  let askedMs: number | undefined
  const arm = (delayMs: number): void => {
    const dueMs = clock.monotonic() + delayMs
    timer = clock.setTimer(() => tick(clock.monotonic() - dueMs), delayMs)
  }
  const ask = (): void => {
    if (askedMs === undefined) owner.readAhead(true)
    askedMs = clock.monotonic()
    link.mark()
    arm(graceMs)
  }
  const endAsking = (): void => {
    if (askedMs !== undefined) owner.readAhead(false)
    askedMs = undefined
  }
  const tick = (lateMs: number): void => {
    const { lastLifeMs } = link
    const silentMs = clock.monotonic() - lastLifeMs
    if (askedMs !== undefined && lastLifeMs >= askedMs) endAsking()
    if (silentMs < firstMs) return arm(firstMs - silentMs)
    if (askedMs === undefined && canAsk) return ask()
    // If the timer was late, the silence proves nothing. While reading is paused, it proves nothing either, because
    // signs of life may be waiting behind unread messages.
    if (lateMs > LATE_MS || owner.isPaused()) return ask()
    owner.onSilence(silentMs)
  }
  arm(firstMs)
  return () => {
    timer.cancel()
    endAsking()
  }
}

/** `finish()` fails if pending work makes no progress for this long. */
const PATIENCE_MS = 60_000
const CHECK_INTERVAL_MS = 50

/** The pending work of a connection. */
export interface Activity {
  /**
   * Whether the pending work may take as long as it needs. True if a lost connection is being replaced, because the
   * replacement has its own deadline. Also true if the client waits only for the next chunk of the caller's source.
   */
  readonly isUnlimited: boolean
  /** Whether any work is pending. */
  readonly isBusy: boolean
  /** A count that grows when the server confirms data, when a message arrives, and when a message is read. */
  readonly steps: number
  /** The number of bytes that have not been written to the network yet. */
  readonly remainingBytes: number
  /** When something was last sent or received, on the monotonic clock. */
  readonly lastMs: number
}

/**
 * Waits until no work is pending, and then until nothing has been sent or received for `quietMs`. Returns false if
 * pending work makes no progress for a minute. Rejects with the signal's reason on abort.
 */
export async function whenQuiet(
  clock: Clock,
  quietMs: number,
  activity: () => Activity,
  signal: AbortSignal,
): Promise<boolean> {
  let quietSinceMs = clock.monotonic()
  let progressMs = quietSinceMs
  let last: Activity | undefined
  for (;;) {
    const now = activity()
    const nowMs = clock.monotonic()
    if (!now.isBusy) {
      quietSinceMs = Math.max(quietSinceMs, now.lastMs)
      const dueInMs = quietSinceMs + quietMs - nowMs
      if (dueInMs <= 0) return true
      await wait(clock, dueInMs, [signal])
      progressMs = clock.monotonic()
      continue
    }
    if (
      last === undefined ||
      now.isUnlimited ||
      now.steps !== last.steps ||
      now.remainingBytes < last.remainingBytes
    )
      progressMs = nowMs
    last = now
    if (nowMs - progressMs >= PATIENCE_MS) return false
    await wait(clock, CHECK_INTERVAL_MS, [signal])
    quietSinceMs = clock.monotonic()
  }
}

/** @param link Undefined while a lost connection is being replaced. */
export function activityOf(
  link: Link | undefined,
  outbox: Pick<Outbox, 'bufferedBytes' | 'isHolding' | 'lastSentMs'>,
  queue: Pick<ReceiveQueue<Sized, unknown>, 'pending' | 'taken'>,
  tally: { readonly arrived: number; readonly lastMs: number; readonly sources: number },
): Activity {
  if (outbox.bufferedBytes === 0) link?.markRest()
  const isPending = outbox.isHolding || link?.isSettled === false || queue.pending > 0
  return {
    isUnlimited: link === undefined || (tally.sources > 0 && !isPending),
    isBusy: link === undefined || tally.sources > 0 || isPending,
    steps: (link?.confirmedData ?? 0) + queue.taken + tally.arrived,
    remainingBytes: outbox.bufferedBytes,
    lastMs: Math.max(tally.lastMs, outbox.lastSentMs),
  }
}
