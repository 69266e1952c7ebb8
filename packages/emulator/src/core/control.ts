import type { ControlledClock } from './controlled-clock.ts'
import type { FaultControl, Faults } from './faults.ts'
import type { Journal, RequestRecord, Violation } from './journal.ts'

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
  /** What the contract rejected, oldest first. */
  violations(): Violation[]
  /** Forgets everything and begins again as at the start, with the same API keys. */
  reset(): void
}

/** The part of the control interface that is the same for every service; only `reset` is each service's own. */
export function commonControl({
  clock,
  faults,
  journal,
}: {
  clock: ControlledClock
  faults: Faults
  journal: Journal
}): Omit<ServiceControl, 'reset'> {
  return {
    clock: { now: () => clock.now(), advance: (ms) => clock.advance(ms), settled: () => clock.settled() },
    faults: { add: (fault) => faults.add(fault), list: () => faults.list(), clear: (id) => faults.clear(id) },
    requests: () => journal.requests(),
    violations: () => journal.violations(),
  }
}
