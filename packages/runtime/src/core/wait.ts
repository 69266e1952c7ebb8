import type { Clock } from './clock.ts'

/** Throws the reason of the first signal that is aborted. */
export function throwIfAborted(signals: readonly AbortSignal[]): void {
  for (const signal of signals) signal.throwIfAborted()
}

/**
 * Waits; an abort ends it at once with the signal's reason. Leaves neither a timer nor a listener behind.
 *
 * @public
 */
export function wait(clock: Clock, delayMs: number, signals: readonly AbortSignal[] = []): Promise<void> {
  return new Promise((resolve, reject) => {
    for (const signal of signals) {
      if (signal.aborted) return reject(signal.reason as Error)
    }
    const finish = (): void => {
      timer.cancel()
      for (const signal of signals) signal.removeEventListener('abort', onAbort)
    }
    const onAbort = (event: Event): void => {
      finish()
      reject((event.target as AbortSignal).reason as Error)
    }
    const timer = clock.setTimer(() => {
      finish()
      resolve()
    }, delayMs)
    for (const signal of signals) signal.addEventListener('abort', onAbort)
  })
}
