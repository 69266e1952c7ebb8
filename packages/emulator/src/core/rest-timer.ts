/** What a rest timer takes its time from. */
export interface RestClock {
  /** In milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  setTimer(callback: () => void, delayMs: number): { cancel(): void }
}

/** Calls back when nothing was heard for some time. */
export interface RestTimer {
  /** Something was heard: counts from now on. */
  touch(delayMs: number): void
  cancel(): void
}

/**
 * Makes a timer that is cheap to put off, as it is with every piece of audio: it is set anew only when it fires, for the
 * time that is left.
 */
export function createRestTimer(clock: RestClock, callback: () => void): RestTimer {
  let dueMs = 0
  let setForMs = Infinity
  let timer: { cancel(): void } | undefined

  function arm(delayMs: number): void {
    setForMs = clock.monotonic() + delayMs
    timer = clock.setTimer(() => {
      timer = undefined
      const leftMs = dueMs - clock.monotonic()
      // Clocks may be half a millisecond early.
      if (leftMs > 0.5) arm(leftMs)
      else callback()
    }, delayMs)
  }

  return {
    touch(delayMs) {
      dueMs = clock.monotonic() + delayMs
      if (timer && setForMs <= dueMs) return
      timer?.cancel()
      arm(delayMs)
    },
    cancel() {
      timer?.cancel()
      timer = undefined
    },
  }
}
