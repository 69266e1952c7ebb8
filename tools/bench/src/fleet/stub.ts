import { setTimeout as delay } from 'node:timers/promises'

import { service, type FleetService } from '@concord/postgres'
import type { Clock } from '@concord/runtime'

export interface StubTimes {
  /** From a request to its response. */
  readonly responseMs: number
  /** From a submission to the end of the work. */
  readonly workMs: number
}

/** The calls to a simulated service. Every measured implementation makes these calls. */
export interface Calls {
  submit(index: number): Promise<string>
  /** Returns whether the work has ended. */
  poll(id: string): Promise<boolean>
  store(id: string): Promise<void>
}

/**
 * Each job id contains the time at which the job's work ends, so all processes agree on this time without sharing
 * anything.
 */
export function stubCalls({ responseMs, workMs }: StubTimes, now: () => number): Calls {
  const respond = (): Promise<void> => (responseMs === 0 ? Promise.resolve() : delay(responseMs))
  return {
    async submit(index) {
      await respond()
      return `${now() + workMs}-${index}`
    },
    async poll(id) {
      await respond()
      return now() >= Number(id.split('-')[0])
    },
    store: respond,
  }
}

export function stubService(
  times: StubTimes,
  {
    pollMs,
    clock,
    onStored,
  }: { readonly pollMs: number; readonly clock?: Clock; readonly onStored?: () => void },
): FleetService<{ index: number }, string> {
  const calls = stubCalls(times, () => (clock === undefined ? Date.now() : clock.now()))
  return service({
    firstDelay: pollMs,
    minDelay: pollMs,
    maxDelay: pollMs,
    submit: async ({ index }: { index: number }) => ({ id: await calls.submit(index) }),
    resume: (id) => {
      const handle = {
        id,
        ended: false,
        wait: async () => id,
        async poll() {
          handle.ended = await calls.poll(id)
          return {}
        },
      }
      return handle
    },
    sink: async (id: string) => {
      await calls.store(id)
      onStored?.()
    },
  })
}
