import type { Clock } from '../core/clock.ts'
import { wait } from '../core/wait.ts'
import type { Link } from './link.ts'
import type { Outbox } from './outbox.ts'
import type { ReceiveQueue, Sized } from './receive-queue.ts'

/** How long no byte may leave and no message be read, while there are some, before waiting for them ends. */
const PATIENCE_MS = 60_000
/** How often something that is under way is looked at. */
const LOOK_EVERY_MS = 50

/** What is under way on a connection. */
export interface Activity {
  /** Whether bytes have not been taken by the server, or messages wait for a reader. */
  readonly isBusy: boolean
  /** Changes with each step that is made in either direction. */
  readonly progress: string
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
  let progress = ''
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
    if (now.progress !== progress) progressMs = nowMs
    progress = now.progress
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
  arrived: { readonly count: number; readonly lastMs: number },
): Activity {
  if (outbox.bufferedBytes === 0) link?.markRest()
  // Without a reader, what was read from the network stays readable after the end.
  const isUnread = queue.paused || (queue.readers > 0 && queue.count > 0)
  return {
    isBusy: link === undefined || outbox.isHolding || !link.isSettled || isUnread,
    progress: `${outbox.bufferedBytes}/${link?.answeredMarks}/${queue.taken}/${arrived.count}`,
    lastMs: Math.max(arrived.lastMs, outbox.lastSentMs),
  }
}
