import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import { type DatabaseServer, startDatabaseServer } from '@concord/database'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { LIMITS } from './limits.ts'

let server: DatabaseServer
beforeAll(async () => {
  server = await startDatabaseServer()
})
afterAll(() => server[Symbol.asyncDispose]())

interface Holder {
  readonly process: ChildProcess
  /** Resolves with the token of its lease once it has one. */
  readonly token: Promise<number>
}

function start(url: string): Holder {
  const child = fork(join(import.meta.dirname, 'holder.ts'), [url], {
    execArgv: ['--no-warnings', '--conditions=@concord/source'],
  })
  return { process: child, token: once(child, 'message').then(([token]) => Number(token)) }
}

it('R-48: when half of eight processes are killed while they hold a lease, each of the others gets one, and never more than two hold one', async () => {
  const url = await server.createDatabase()
  const pool = new Pool({ connectionString: url }).on('error', () => undefined)
  const holders = Array.from({ length: 8 }, () => start(url))
  const pending = new Set(holders)
  const tokens: number[] = []
  let kills = 0
  try {
    while (pending.size > 0) {
      const { holder, token } = await Promise.race(
        [...pending].map(async (holder) => ({ holder, token: await holder.token })),
      )
      pending.delete(holder)
      tokens.push(token)
      const { rows } = await pool.query<{ held: number; longest: number }>(
        `select coalesce(sum(weight), 0)::float8 as held, extract(epoch from max(expires_at) - clock_timestamp())::float8 * 1000 as longest
          from concord.leases where is_granted and expires_at > clock_timestamp()`,
      )
      expect(rows[0]!.held).toBeLessThanOrEqual(LIMITS.semaphore.capacity)
      // So a process that is killed now blocks its share for at most one term.
      expect(rows[0]!.longest).toBeLessThanOrEqual(LIMITS.semaphore.termMs)
      const ended = once(holder.process, 'exit')
      if (tokens.length % 2 === 0) holder.process.kill('SIGKILL')
      else holder.process.send('end')
      await ended
      kills += tokens.length % 2 === 0 ? 1 : 0
    }
    expect(kills).toBe(4)
    expect(new Set(tokens).size).toBe(8)
    const { rows } = await pool.query<{ places: number }>(
      'select count(*)::int as places from concord.rate_places',
    )
    // A process that misses its slot takes another one.
    expect(rows[0]!.places).toBeGreaterThanOrEqual(8)
  } finally {
    for (const { process } of holders) process.kill('SIGKILL')
    await pool.end()
  }
})
