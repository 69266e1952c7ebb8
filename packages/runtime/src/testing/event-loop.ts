/** Calls back after one turn of the event loop: all microtasks ran, and what was ready on the host had its chance. */
export type Turn = (callback: () => void) => void

/** One turn of the host's own event loop. */
export const hostTurn: Turn =
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
 * Whether the host reports a request in flight, as it does for most file access. Long-lived things (sockets,
 * servers) do not count, and hashing, compression and some small reads are not reported at all. Hosts that cannot
 * tell answer no.
 */
export function hostIsBusy(): boolean {
  if (typeof process === 'undefined' || typeof process.getActiveResourcesInfo !== 'function') return false
  return process
    .getActiveResourcesInfo()
    .some((name) => name.includes('Req') || name === 'FileHandleReadWrap')
}
