import { writeFileSync } from 'node:fs'

/**
 * Starts to watch how far the memory of this process rises; call the answer to know. Take `--expose-gc` along, so
 * that what is left over from before does not count.
 */
export function watchPeakMemory(): () => number {
  globalThis.gc?.()
  try {
    // Forgets the peak of loading and warming up, where the system can do that (Linux).
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    // Elsewhere the peak counts from the start of the process.
  }
  const before = process.memoryUsage.rss()
  return () => Math.max(0, process.resourceUsage().maxRSS * 1024 - before)
}

/** What lives on the heap of this process, in bytes. Needs `--expose-gc`. */
export function usedHeapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('the heap is measured with --expose-gc only')
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
