import type { FaultControl } from './faults.ts'
import type { RequestRecord, Violation } from './journal.ts'

/** What the control interface of every service can do. @public */
export interface ServiceControl {
  readonly clock: {
    /** The emulator's time, in milliseconds since the Unix epoch. */
    now(): number
    /** Moves the emulator's clock forward, running what falls due on the way, in order. */
    advance(ms: number): Promise<void>
    /** Resolves when no work is under way in the background. */
    settled(): Promise<void>
  }
  readonly faults: FaultControl
  /** The requests that came, oldest first. */
  requests(): RequestRecord[]
  /** What the contract refused, oldest first. */
  violations(): Violation[]
  /** Forgets everything and begins again as at the start, with the same API keys. */
  reset(): void
}
