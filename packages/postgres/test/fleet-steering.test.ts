import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { OptionsError } from '@concord/runtime'
import { expect, it } from 'vitest'

import { run } from '../src/cli/run.ts'
import type { FleetStatus } from '../src/report/status.ts'
import { Schema } from '../src/database/sql.ts'
import { migrateWith } from '../src/schema/migrate.ts'
import { MIGRATIONS } from '../src/schema/migrations.ts'
import { createDatabase, testDatabase } from './support/database.ts'
import { startWorker } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()

/** Runs the command line with a database. It never shows the URL, which contains a password. */
async function runCli(url: string, words: readonly string[]) {
  let printed = ''
  let complained = ''
  const print = (text: string) => void (printed += text)
  const complain = (text: string) => void (complained += text)
  const code = await run(words, { DATABASE_URL: url }, { print, complain })
  expect(printed + complained).not.toContain('local-only')
  return { code, printed, complained }
}

const cli = (...words: string[]) => runCli(database.url, [...words, '--schema', 'steered'])

async function status(): Promise<FleetStatus> {
  return JSON.parse((await cli('status', '--json')).printed) as FleetStatus
}

it('the command line shows the status of jobs, and retries, cancels and resolves them', async () => {
  let isOpen = false
  const stub = stubService({
    onSubmit(index) {
      if (index === 0) throw new Error('the response was lost <b>')
      if (index === 1 && !isOpen) throw new OptionsError('index', 'is wrong.', 'Pass another one.')
    },
  })
  const fleet = database.fleet('steered', stub.service)
  await fleet.stub.enqueue([{ index: 0 }, { index: 1 }, { index: 2 }], { batch: 'few' })
  await fleet.stub.enqueue([{ index: 7 }, { index: 8 }], { batch: 'unwanted' })
  expect((await cli('cancel', 'stub/unwanted')).printed).toBe(
    'Canceled 2 jobs that had not been submitted.\n',
  )
  const worker = startWorker(fleet)
  await database.becomes('steered', { cancelled: 2, done: 1, uncertain: 1, denied: 1 })
  expect(stub.submissions).toEqual([2])

  const { attention, batches, workers } = await status()
  expect(attention).toMatchObject([
    { job: 'stub/few/0', phase: 'uncertain', reason: 'the response was lost <b>' },
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
    /stub\/few: 1 of 3 done[\s\S]*needs attention:\n {2}stub\/few\/0: uncertain/,
  )

  const page = join(await mkdtemp(join(tmpdir(), 'fleet-')), 'fleet.html')
  expect(await cli('report', '--out', page)).toMatchObject({ code: 0 })
  const html = await readFile(page, 'utf8')
  expect(html).toContain('the response was lost &lt;b&gt;')
  expect(html).not.toMatch(/<script|<b>|https?:/)

  isOpen = true
  expect((await cli('retry', 'stub/few')).printed).toBe(
    'Will retry 1 job.\nLeft alone: 1 done, 1 uncertain (see resolve).\n',
  )
  expect((await cli('resolve', 'stub/few/0', '--accepted', 'work-0')).printed).toBe(
    'Resolved stub/few/0: a worker will poll the id that you passed.\n',
  )
  await stub.stored(3)
  await database.pool.query(`update steered.fleet_jobs set phase = 'unstored' where position = 2`)
  expect((await cli('retry', 'stub/few/2')).printed).toBe('Will retry 1 job.\n')
  await database.becomes('steered', { cancelled: 2, done: 3 })
  expect(stub.results.get('stub-few-2')).toBe(2)
  expect(stub.submissions).toEqual([2, 1])
  await worker.stop()

  expect((await cli('cancel', 'stub/unwanted', 'stub/few/1')).printed).toBe(
    'Nothing to cancel.\nLeft alone: 1 done, 2 canceled.\n',
  )
  expect(await cli('resolve', 'stub/few/0', '--not-sent')).toMatchObject({
    code: 1,
    complained: expect.stringContaining(
      '"stub/few/0" isn\'t the name of an uncertain or expired job.',
    ) as string,
  })
  for (const command of ['retry', 'cancel'])
    expect(await cli(command, 'stub/few', 'stub/typo')).toMatchObject({
      code: 1,
      complained: expect.stringContaining('Unknown batch or job "stub/typo". Nothing was changed.') as string,
    })
  await fleet.close()
})

it('if the database has no fleet, has another version of it, or is unreachable, the command line says so and changes nothing', async () => {
  const fresh = await createDatabase()
  const shown = async (url: string, ...words: string[]) => {
    const { code, printed, complained } = await runCli(url, words)
    return `${code} ${printed}${complained}`
  }
  const commands = [
    ['status'],
    ['status', '--json'],
    ['report', '--out', '/nowhere/fleet.html'],
    ['retry', '--all'],
    ['cancel', '--all'],
    ['resolve', 'a/b/0', '--abandon'],
  ]
  for (const words of commands)
    expect(await shown(fresh, ...words)).toMatch(/^1 .*has no schema "concord" .* Check the database URL/)
  const pool = database.newPool({ connectionString: fresh })
  const { rows } = await pool.query(
    "select nspname from pg_namespace where nspname !~ '^(pg_|information_schema|public)'",
  )
  expect(rows).toEqual([])

  const schema = new Schema('concord')
  await migrateWith(pool, schema, MIGRATIONS.slice(0, -1))
  for (const words of commands)
    expect(await shown(fresh, ...words)).toMatch(
      /^1 .*has version \d+, .* needs schema version \d+\. To update the schema, start a process/,
    )
  await migrateWith(pool, schema, MIGRATIONS)
  expect(await shown(fresh, 'status')).toBe('0 The schema concord has no batches.\nno workers\n')
  expect(await shown(fresh, 'retry', '--all')).toBe('0 Will retry 0 jobs.\n')
  await migrateWith(pool, schema, [...MIGRATIONS, { title: 'to come', statements: () => [] }])
  for (const words of commands)
    expect(await shown(fresh, ...words)).toMatch(/^1 .*Update @concord\/postgres in this process/)
  const unreachable = Object.assign(new URL(fresh), { port: '1' }).href
  for (const words of commands)
    expect(await shown(unreachable, ...words)).toMatch(
      /^1 concord-fleet: The database cannot be reached \(ECONNREFUSED\)/,
    )
  const nowhere = Object.assign(new URL(fresh), { pathname: '/nowhere' }).href
  expect(await shown(nowhere, 'status')).toMatch(/^1 concord-fleet: The database denied access to this user/)
  expect(await shown('not a url', 'status')).toMatch(/^1 concord-fleet: /)
})

it('without a database URL, the command line says how to set it', async () => {
  expect(await runCli('', ['status'])).toMatchObject({
    code: 2,
    complained: expect.stringContaining('Set DATABASE_URL') as string,
  })
})

it.each([
  ['sing', /Unknown command `sing`\. Valid commands: status, report, retry, cancel, resolve, help\./],
  ['status stub/few', /The command `status` takes no names/],
  ['status --out page.html', /The command `status` has no option --out/],
  ['status --jsn', /Unknown option '--jsn'\.\n/],
  ['report --json', /The command `report` has no option --json/],
  ['report --out', /'--out <value>' argument missing/],
  ['retry', /Pass the names of jobs .* or batches .*, or pass --all/],
  ['retry few', /"few" isn't the name of a job .* or a batch .*\. For all jobs, pass --all\./],
  ['retry stub/few --abandon', /The command `retry` has no option --abandon/],
  ['cancel stub/few --all', /Pass either the names of jobs or batches, or --all, not both/],
  ['resolve', /Pass the name of one job, such as/],
  ['resolve stub/few/0 stub/few/1 --abandon', /Pass the name of one job, such as/],
  ['resolve stub/few/0', /Pass exactly one of --accepted ID, --not-sent and --abandon/],
  ['resolve stub/few/0 --abandon --not-sent', /Pass exactly one of --accepted ID, --not-sent and --abandon/],
  ['resolve stub/few/0 --accepted=', /Pass exactly one of --accepted ID, --not-sent and --abandon/],
  ['resolve --all', /The command `resolve` has no option --all/],
])('the mistake in "%s" is explained before the database is opened', async (line, expected) => {
  const { code, complained } = await runCli('postgres://nowhere.invalid/', line.split(' '))
  expect(code).toBe(2)
  expect(complained).toMatch(expected)
  expect(complained).toContain('concord-fleet status [--json]')
})
