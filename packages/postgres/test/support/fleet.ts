import type { FleetMethods, WorkOptions } from '../../src/jobs/fleet.ts'

export const requestsOf = (count: number, from = 0): { index: number }[] =>
  Array.from({ length: count }, (_, index) => ({ index: from + index }))

/** Starts a worker that collects its errors. */
export function startWorker(fleet: FleetMethods, options: Omit<WorkOptions, 'signal'> = {}) {
  const end = new AbortController()
  const errors: unknown[] = []
  const working = fleet.work({ onError: (error) => errors.push(error), ...options, signal: end.signal })
  return {
    errors,
    /** Stops the worker, and waits until it has ended. */
    async stop(): Promise<void> {
      end.abort()
      await working
    },
  }
}

/** Runs a worker until `until` resolves. @returns the errors that it reported. */
export async function workUntil(
  fleet: FleetMethods,
  until: () => Promise<unknown>,
  options?: Omit<WorkOptions, 'signal'>,
): Promise<readonly unknown[]> {
  const { stop, errors } = startWorker(fleet, options)
  await until()
  await stop()
  return errors
}
