import type { ControlledClock } from './controlled-clock.ts'
import type { Log } from './log.ts'
import type { RandomSource } from './random.ts'

/** What every service of an emulator is given. */
export interface SharedTools {
  /** One clock for all services. */
  clock: ControlledClock
  /** The service's own source, so that what one service draws changes nothing for another. */
  random: RandomSource
  log: Log
  /** Aborted when the emulator is closed. */
  closing: AbortSignal
  /** Whether the control interface is there over HTTP. */
  control: boolean
}
