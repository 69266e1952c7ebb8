// One of the worker processes of the benchmark `fleet` (see rows/fleet.ts).
import { createFleet } from '@concord/postgres'
import { Pool } from 'pg'

import { stubService, type StubTimes } from './stub.ts'

const { url, schema, times, pollMs, concurrency, termMs } = JSON.parse(process.argv[2]!) as {
  readonly url: string
  readonly schema: string
  readonly times: StubTimes
  readonly pollMs: number
  readonly concurrency: number
  /** If a worker sends no heartbeat for this time, other workers take over its jobs. */
  readonly termMs: number
}
const pool = new Pool({ connectionString: url })
pool.on('error', () => undefined)
const fleet = createFleet({ pool, schema, services: { stub: stubService(times, { pollMs }) } })
process.on('message', (what) => {
  globalThis.gc?.()
  if (what === 'heap') process.send!(process.memoryUsage().heapUsed)
})
process.on('disconnect', () => process.exit())
process.send!('ready')
await fleet.work({ concurrency, term: termMs, onError: () => undefined })
