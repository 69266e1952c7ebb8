/** What some work cost the process that did it. */
export interface Cost {
  readonly elapsedMs: number
  /** Processor time of all threads, the garbage collector's included. */
  readonly cpuMs: number
}

/** Does some work and says what it cost. */
export async function costOf(work: () => Promise<void>): Promise<Cost> {
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  await work()
  const elapsedMs = performance.now() - began
  const { user, system } = process.cpuUsage(cpuBefore)
  return { elapsedMs, cpuMs: (user + system) / 1000 }
}
