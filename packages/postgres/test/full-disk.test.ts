import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, it, onTestFinished, vi } from 'vitest'

import { createFleet, postgresTokenStore } from '../src/index.ts'
import { testDatabase } from './support/database.ts'
import { startWorker } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()

/** Creates a folder on a file system of 8 MiB that the server can use. */
async function smallDisk(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'concord-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0777', 'tmpfs', folder])
  onTestFinished(async () => {
    execFileSync('umount', ['--lazy', folder])
    await rm(folder, { recursive: true, force: true })
  })
  await chmod(folder, 0o777)
  const space = join(folder, 'space')
  execFileSync('install', ['-d', '-o', 'postgres', space])
  return space
}

async function repeated(work: () => Promise<unknown>): Promise<never> {
  for (;;) await work()
}

it('on a full disk, calls fail with a remedy, workers keep unsaved changes, and nothing is lost once there is space', async () => {
  const { pool } = database
  const stub = stubService({ polls: 2 })
  const options = { schema: 'filled', services: { stub: stub.service } }
  const fleet = createFleet({ pool, ...options })
  await fleet.stub.enqueue([], { batch: 'none' })
  await pool.query(`create tablespace small location '${await smallDisk()}'`)
  // The queue stays on the large disk, so that a worker can take a job and then fail to write its row.
  await pool.query('alter table filled.fleet_jobs set tablespace small')
  const { rows: indexes } = await pool.query<{ name: string }>(
    `select indexname as name from pg_indexes where schemaname = 'filled' and tablename = 'fleet_jobs'`,
  )
  for (const { name } of indexes) await pool.query(`alter index filled."${name}" set tablespace small`)
  await pool.query('create table filled.ballast (bytes text) tablespace small')
  await pool.query('alter table filled.ballast alter column bytes set storage external')
  const requests = Array.from({ length: 200 }, (_, index) => ({ index }))
  await fleet.stub.enqueue(requests, { batch: 'first' })
  for (const kib of [512, 64, 8, 4]) {
    const fill = () => pool.query(`insert into filled.ballast values (repeat('x', $1))`, [kib * 1024])
    await expect(repeated(fill)).rejects.toMatchObject({ code: '53100' })
  }
  const more = Array.from({ length: 3_000 }, (_, index) => ({ index: 1_000 + index }))
  const isFull = {
    reason: 'full',
    sqlState: '53100',
    message: expect.stringContaining('Free disk space') as string,
  }
  await expect(fleet.stub.enqueue(more, { batch: 'second' })).rejects.toMatchObject(isFull)

  const worker = startWorker(fleet)
  await vi.waitFor(() => expect(worker.errors).toContainEqual(expect.objectContaining(isFull)), 60_000)
  // Sessions are on the large disk, so they can still be refreshed.
  await postgresTokenStore(pool, { schema: 'filled' }).exclusive((held) =>
    held.write({ accessToken: 'a', refreshToken: 'b', obtainedAtMs: 1 }),
  )
  await pool.query('drop table filled.ballast')
  expect(await fleet.stub.enqueue(more, { batch: 'second' })).toMatchObject({ total: 3_000 })
  await stub.stored(3_200)
  await worker.stop()
  expect(new Set(stub.submissions).size).toBe(3_200)
  expect(stub.submissions).toHaveLength(3_200)
  const { rows } = await pool.query('select phase, count(*)::int from filled.fleet_jobs group by 1')
  expect(rows).toEqual([{ phase: 'done', count: 3_200 }])
  await pool.query('drop schema filled cascade')
  await pool.query('drop tablespace small')
})
