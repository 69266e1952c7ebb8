// One of many processes that share a semaphore and a rate. It holds a lease until the test stops or kills it.
import { Pool } from 'pg'

import { postgresRateLimit } from '../../src/budget/rate-limit.ts'
import { postgresSemaphore } from '../../src/budget/semaphore.ts'
import { LIMITS } from './limits.ts'

const pool = new Pool({ connectionString: process.argv[2] ?? '' }).on('error', () => undefined)
const semaphore = postgresSemaphore(pool, LIMITS.semaphore)
const rate = postgresRateLimit(pool, LIMITS.rate)

const lease = await semaphore.acquire()
await rate.acquire({})
process.send?.(String(lease.token))
process.on('message', () => {
  lease[Symbol.dispose]()
  void semaphore
    .settled()
    .then(() => pool.end())
    .then(() => process.exit(0))
})
process.on('disconnect', () => process.exit(0))
