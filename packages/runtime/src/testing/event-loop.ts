/** The number of pending turns. They use the host's immediates, but don't count as activity. */
let ownTurns = 0

/** Waits for one turn of the event loop: all microtasks run, and I/O that is ready on the host is handled. */
export function hostTurn(): Promise<void> {
  return new Promise((resolve) => {
    ownTurns += 1
    onNextTurn(() => {
      ownTurns -= 1
      resolve()
    })
  })
}

/** Calls back in a separate turn of the event loop. */
export const onNextTurn: (callback: () => void) => void =
  typeof setImmediate === 'function'
    ? (callback) => {
        setImmediate(callback)
      }
    : (callback) => {
        const { port1, port2 } = new MessageChannel()
        port1.addEventListener('message', () => {
          port1.close()
          callback()
        })
        port1.start()
        port2.postMessage(null)
      }

/**
 * Whether the host reports pending work that will finish by itself: a callback for the next turn of the event loop, or
 * a request in flight, which includes most file access. Long-lived resources (sockets, servers, the host's timers)
 * don't count, and hashing, compression and some small reads aren't visible. Returns false on hosts that don't report
 * it.
 */
export function hostIsBusy(): boolean {
  if (typeof process === 'undefined' || typeof process.getActiveResourcesInfo !== 'function') return false
  let immediates = 0
  for (const name of process.getActiveResourcesInfo()) {
    if (name === 'Immediate') immediates += 1
    else if (name.includes('Req') || name === 'FileHandleReadWrap') return true
  }
  return immediates > ownTurns
}
