import { describe, expect, it } from 'vitest'

import { createFleet } from '../src/work/fleet.ts'
import { stubService } from './support/stub-service.ts'
import { testDatabase } from './support/database.ts'

const database = testDatabase()

describe('a fleet', () => {
  it('submits, waits and stores each request of a batch exactly once', async () => {
    const stub = stubService({ polls: 2 })
    const fleet = createFleet({ pool: database.pool, schema: 'basic', services: { stub: stub.service } })
    const requests = Array.from({ length: 100 }, (_, index) => ({ index }))
    expect(await fleet.stub.enqueue(requests, { batch: 'first' })).toEqual({
      batch: 'first',
      total: 100,
      added: 100,
    })
    expect(await fleet.stub.enqueue(requests, { batch: 'first' })).toEqual({
      batch: 'first',
      total: 100,
      added: 0,
    })
    const stop = new AbortController()
    const errors: unknown[] = []
    const working = fleet.work({ signal: stop.signal, onError: (error) => errors.push(error) })
    await stub.stored(100)
    stop.abort()
    await working
    expect(errors).toEqual([])
    expect(stub.submissions).toHaveLength(100)
    expect(new Set(stub.results.keys()).size).toBe(100)
    const { rows } = await database.pool.query(
      `select phase, count(*)::int from basic.fleet_jobs group by phase`,
    )
    expect(rows).toEqual([{ phase: 'done', count: 100 }])
    const tickets = await database.pool.query(`select count(*)::int from basic_queue.job`)
    expect(tickets.rows).toEqual([{ count: 0 }])
    await fleet.close()
  })
})
