import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

/** Where and when a run took place; figures of two machines are not to be compared. */
export interface Machine {
  readonly date: string
  readonly node: string
  readonly platform: string
  readonly processor: string
  readonly cores: number
  readonly memoryGiB: number
  /** How many processes were running on average in the last minute, before the bench began. */
  readonly load: number
}

export function describeMachine(): Machine {
  return {
    date: new Date().toISOString(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    load: loadavg()[0] ?? 0,
  }
}
