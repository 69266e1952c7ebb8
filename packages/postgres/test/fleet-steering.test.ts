import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { OptionsError } from '@concord/runtime'
import { expect, it, vi } from 'vitest'

import { run } from '../src/cli/run.ts'
import { createFleet } from '../src/jobs/fleet.ts'
import type { FleetStatus } from '../src/report/status.ts'
import { testDatabase } from './support/database.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()

/** Runs the command line. */
async function cli(...words: string[]) {
  let printed = ''
  let complained = ''
  const environment = { DATABASE_URL: database.url }
  const code = await run([...words, '--schema', 'steered'], environment, {
    print: (text) => void (printed += text),
    complain: (text) => void (complained += text),
  })
  expect(printed + complained).not.toContain(database.url)
  return { code, printed, complained }
}

async function status(): Promise<FleetStatus> {
  return JSON.parse((await cli('status', '--json')).printed) as FleetStatus
}

it('a person sees what happens, and retries, cancels and resolves jobs from the command line', async () => {
  let isOpen = false
  const stub = stubService({
    onSubmit(index) {
      if (index === 0) throw new Error('the answer was lost <b>')
      if (index === 1 && !isOpen) throw new OptionsError('index', 'is wrong.', 'Pass another one.')
    },
  })
  const fleet = createFleet({ pool: database.pool, schema: 'steered', services: { stub: stub.service } })
  await fleet.stub.enqueue([{ index: 0 }, { index: 1 }, { index: 2 }], { batch: 'few' })
  await fleet.stub.enqueue([{ index: 7 }, { index: 8 }], { batch: 'unwanted' })
  expect((await cli('cancel', 'stub/unwanted')).printed).toBe('Canceled 2 jobs.\n')
  const stop = new AbortController()
  const working = fleet.work({ signal: stop.signal })
  await vi.waitFor(async () => {
    const [few] = (await status()).batches
    expect(few?.phases).toMatchObject({ done: 1, uncertain: 1, denied: 1 })
  }, 10_000)
  expect(stub.submissions).toEqual([2])

  const { attention, batches, workers } = await status()
  expect(attention).toMatchObject([
    { job: 'stub/few/0', phase: 'uncertain', reason: 'the answer was lost <b>' },
    { job: 'stub/few/1', phase: 'denied' },
  ])
  expect(batches).toMatchObject([
    {
      batch: 'few',
      total: 3,
      isComplete: true,
      perMinute: expect.any(Number) as number,
      cost: { submitted: { unpriced: 2 }, all: { unpriced: 3 } },
    },
    { batch: 'unwanted', phases: { cancelled: 2, done: 0 } },
  ])
  expect(workers).toHaveLength(1)
  expect((await cli('status')).printed).toMatch(
    /stub\/few: 1 of 3 done[\s\S]*waiting for a person:\n {2}stub\/few\/0: uncertain/,
  )

  const page = join(await mkdtemp(join(tmpdir(), 'fleet-')), 'fleet.html')
  expect(await cli('report', '--out', page)).toMatchObject({ code: 0 })
  const html = await readFile(page, 'utf8')
  expect(html).toContain('the answer was lost &lt;b&gt;')
  expect(html).not.toMatch(/<script|<b>|https?:/)

  isOpen = true
  expect((await cli('retry', 'stub/few')).printed).toBe('Will retry 1 job.\n')
  expect((await cli('resolve', 'stub/few/0', '--accepted', 'work-0')).printed).toBe('Resolved stub/few/0.\n')
  await stub.stored(3)
  await database.pool.query(`update steered.fleet_jobs set phase = 'unstored' where position = 2`)
  expect((await cli('retry', 'stub/few/2')).printed).toBe('Will retry 1 job.\n')
  await vi.waitFor(async () => expect((await status()).batches[0]?.phases.done).toBe(3), 10_000)
  expect(stub.results.get('few-2')).toBe(2)
  expect(stub.submissions).toEqual([2, 1])
  stop.abort()
  await working

  expect(await cli('resolve', 'stub/few/0', '--not-sent')).toMatchObject({
    code: 1,
    complained: expect.stringContaining('There is no uncertain job "stub/few/0".') as string,
  })
  expect(await cli('resolve', 'stub/few/0')).toMatchObject({ code: 2 })
  expect(await cli('retry')).toMatchObject({ code: 2 })
  expect(await cli('sing')).toMatchObject({ code: 2 })
  await fleet.close()
})

it('without an address of a database, the command line says where to put it', async () => {
  const complain = vi.fn<(text: string) => void>()
  expect(await run(['status'], {}, { print: () => undefined, complain })).toBe(2)
  expect(complain.mock.calls[0]?.[0]).toContain('Set DATABASE_URL')
})
