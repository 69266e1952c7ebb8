import type { Pool } from 'pg'
import { expect } from 'vitest'

import type { FleetMethods, WorkOptions } from '../../src/jobs/fleet.ts'

/** Returns requests for a stub service. */
export const requestsOf = (count: number, from = 0): { index: number }[] =>
  Array.from({ length: count }, (_, index) => ({ index: from + index }))

/** Reads how many jobs a fleet has in each phase. */
export async function countsOf(
  { pool }: { readonly pool: Pool },
  schema: string,
): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ phase: string; count: number }>(
    `select phase, count(*)::int from ${schema}.fleet_jobs group by phase`,
  )
  return Object.fromEntries(rows.map(({ phase, count }) => [phase, count]))
}

/** Waits until a fleet has this many jobs in each phase. */
export const becomes = (
  database: { readonly pool: Pool },
  schema: string,
  counts: Record<string, number>,
): Promise<void> => expect.poll(() => countsOf(database, schema)).toEqual(counts)

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
