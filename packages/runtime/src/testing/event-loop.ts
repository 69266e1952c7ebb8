/** How many turns somebody is waiting for; they are the host's immediates, but not activity. */
let ownTurns = 0

/** One turn of the event loop: all microtasks run, and what is ready on the host has its chance. */
export function hostTurn(): Promise<void> {
  return new Promise((resolve) => {
    ownTurns += 1
    onNextTurn(() => {
      ownTurns -= 1
      resolve()
    })
  })
}

/** Calls back in a turn of the event loop of its own. */
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
 * Whether the host shows work that will go on by itself: something put off to the next turn of the event loop, or a
 * request in flight, as most file access is. Long-lived things (sockets, servers, the host's timers) do not count,
 * and hashing, compression and some small reads do not show at all. Hosts that cannot tell answer no.
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
