import type { ServiceControl } from './control.ts'
import type { ControlledClock } from './controlled-clock.ts'
import type { Faults } from './faults.ts'
import type { Journal } from './journal.ts'

/** What the control interface of every service does in the same way; only `reset` is each service's own. */
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
