import { wait } from '../core/async.ts'
import type { Clock } from '../core/clock.ts'
import type { Link } from './link.ts'
import type { Outbox } from './outbox.ts'
import type { ReceiveQueue, Sized } from './receive-queue.ts'

/** How long no byte may leave and no message be read, while there are some, before waiting for them ends. */
const PATIENCE_MS = 60_000
/** How often something that is under way is looked at. */
const LOOK_EVERY_MS = 50

/** What is under way on a connection. */
export interface Activity {
  /** Whether a source is being sent, the server has not taken every byte, or messages wait for a reader. */
  readonly isBusy: boolean
  /** Steps that were made in either direction. */
  readonly steps: number
  /** Bytes that have not left. */
  readonly leftBytes: number
  /** When something was last sent or received, on the monotonic clock. */
  readonly lastMs: number
}

/**
 * Waits until nothing is under way and nothing has happened for `quietMs` after that. Returns false if it gives up,
 * because what is under way made no progress for a minute. Rejects with the reason of the signal.
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
    if (last === undefined || now.steps !== last.steps || now.leftBytes < last.leftBytes) progressMs = nowMs
    last = now
    if (nowMs - progressMs >= PATIENCE_MS) return false
    await wait(clock, LOOK_EVERY_MS, [signal])
    quietSinceMs = clock.monotonic()
  }
}

/** What is under way. @param link Undefined while there is no socket, so that nothing can be finished. */
export function activityOf(
  link: Link | undefined,
  outbox: Outbox,
  queue: Pick<ReceiveQueue<Sized, unknown>, 'paused' | 'readers' | 'count' | 'taken'>,
  tally: { readonly arrived: number; readonly lastMs: number; readonly sources: number },
): Activity {
  if (outbox.bufferedBytes === 0) link?.markRest()
  // Without a reader, what was read from the network stays readable after the end.
  const isUnread = queue.paused || (queue.readers > 0 && queue.count > 0)
  return {
    isBusy: link === undefined || tally.sources > 0 || outbox.isHolding || !link.isSettled || isUnread,
    steps: (link?.answeredMarks ?? 0) + queue.taken + tally.arrived,
    leftBytes: outbox.bufferedBytes,
    lastMs: Math.max(tally.lastMs, outbox.lastSentMs),
  }
}
