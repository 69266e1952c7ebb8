import { type DatabaseServer, startDatabaseServer } from '@concord/database'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { postgresRateLimit, postgresSemaphore, postgresTokenStore } from '../src/index.ts'

let server: DatabaseServer
let pools: readonly Pool[]
beforeAll(async () => {
  server = await startDatabaseServer()
  const connectionString = await server.createDatabase()
  pools = [0, 1].map(() => new Pool({ connectionString }).on('error', () => undefined))
})
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await server[Symbol.asyncDispose]()
})

it('R-42, R-47, R-48: after a restart of the server, a refresh stores its pair, leases and lease requests continue, and rates still count', async () => {
  const [own, others] = pools as [Pool, Pool]
  const stores = pools.map((pool) => postgresTokenStore(pool, { takeoverMs: 60_000 }))
  const semaphores = pools.map((pool) => postgresSemaphore(pool, { name: 'a', capacity: 1, termMs: 60_000 }))
  const rate = postgresRateLimit(others, { name: 'a', limit: 3 })
  await rate.acquire({})
  const lease = await semaphores[0]!.acquire()
  const waiting = semaphores[1]!.acquire()
  await expect
    .poll(async () => (await own.query('select 1 from concord.leases where not is_granted')).rowCount)
    .toBe(1)
  await stores[0]!.exclusive(async (held) => {
    await held.write({ accessToken: 'access-1', refreshToken: 'refresh-1', obtainedAtMs: 1, presented: 1 })
    await server.stop()
    await server.start()
    await held.write({ accessToken: 'access-2', refreshToken: 'refresh-2', obtainedAtMs: 2 })
  })
  expect(await stores[1]!.exclusive((held) => held.read())).toMatchObject({ refreshToken: 'refresh-2' })
  expect(lease.lost.aborted).toBe(false)
  lease[Symbol.dispose]()
  const next = await waiting
  expect(next.token).toBeGreaterThan(lease.token!)
  next[Symbol.dispose]()
  await rate.acquire({})
  await Promise.all(semaphores.map((each) => each.settled()))
})
