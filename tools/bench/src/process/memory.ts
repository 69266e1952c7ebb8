import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Starts to watch how far the memory of this process rises; call the answer to know, in bytes. Take `--expose-gc`
 * along, so that what is left over from before does not count.
 */
export function watchPeakMemory(): () => number {
  globalThis.gc?.()
  forgetPeak()
  const beforeBytes = process.memoryUsage.rss()
  return () => Math.max(0, peakBytes() - beforeBytes)
}

/** Linux can forget the peak of loading and warming up. Elsewhere it counts from the start of the process. */
function forgetPeak(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5')
}

function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  // Not maxRSS: on Linux it begins with the peak of the process that started this one.
  const peakKib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  if (peakKib === undefined) throw new Error('/proc/self/status has no VmHWM')
  return Number(peakKib) * 1024
}

/** What lives on the heap of this process, in bytes. Needs `--expose-gc`. */
export function usedHeapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('the heap is measured with --expose-gc only')
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
