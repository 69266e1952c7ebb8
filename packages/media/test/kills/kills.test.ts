import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createEmulator } from '@concord/emulator'
import { buildWorker, type BuiltWorker } from '@concord/contract-kit/build-worker'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import type { BatchReport } from '../../src/index.ts'
import { type Moment, watched, Worker } from './support.ts'
import { promptOf, runWork, type Work } from './worker.ts'

let worker: BuiltWorker
beforeAll(async () => {
  worker = await buildWorker(join(import.meta.dirname, '..', '..'), 'test/kills/worker.ts')
}, 60_000)
afterAll(() => rm(worker.folder, { recursive: true, force: true }))

/** Returns a generator of numbers in [0, 1) that are the same in each run. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const KILLS = 200
const LANES = 4
const REQUESTS = 40
/** When a process is killed: at a moment that the server sees, or shortly after its start. */
const MOMENTS: readonly (Moment | 'begun')[] = [
  'begun',
  'arrived',
  'made',
  'responded',
  'polled',
  'downloaded',
]

/** A fast emulator without limits. Submissions are distinguished by their prompts. */
const EMULATED = {
  seed: 7,
  media: {
    credits: 1e9,
    choices: {
      credits: { usdPerCredit: 1e-9 },
      tierLimits: () => ({ dailyGenerations: 1e9, concurrency: 64 }),
      courseOf: () => ({ pendingMs: 1, runningMs: 2 }),
      submissionKey: ({ body }: { body: { readonly [field: string]: unknown } }) =>
        String(body['promptText']),
    },
  },
}

test('R-37: after 200 kills at random moments, no task is made twice, no accepted one is lost, and every uncertain request is reported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'concord-kills-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const emulator = await createEmulator(EMULATED)
  onTestFinished(() => emulator.close())
  let killed = 0
  let midway = 0
  const works: Work[] = []
  const reports: { readonly work: Work; readonly report: BatchReport }[] = []

  const lane = async (number: number): Promise<void> => {
    const random = sequence(1_000 + number)
    await using service = await watched(emulator)
    let upcoming = new Worker(worker.file)
    let work: Work | undefined
    try {
      while (killed < KILLS) {
        work ??= begin(number)
        const victim = upcoming
        upcoming = new Worker(worker.file)
        expect(await victim.next()).toBe('started')
        const moment = MOMENTS[Math.floor(random() * MOMENTS.length)]!
        let left = Math.floor(random() * 5)
        const drops = random() < 0.2
        const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
        service.onMoment = (now) => {
          if (now !== moment || left-- > 0) return undefined
          reach()
          return drops ? 'drop' : undefined
        }
        victim.begin({ ...work, baseUrl: service.baseUrl })
        if (moment === 'begun') setTimeout(reach, random() * 60)
        const ended = victim.next()
        await Promise.race([reached, ended])
        await new Promise((resolve) => setTimeout(resolve, random() * 6))
        await victim.kill()
        const said = await ended
        service.onMoment = () => undefined
        killed++
        if (said === 'killed') midway++
        else if (typeof said === 'object' && 'error' in said) throw new Error(said.error)
        else {
          reports.push({ work, report: await finish(work, service.baseUrl) })
          work = undefined
        }
      }
      if (work !== undefined) reports.push({ work, report: await finish(work, service.baseUrl) })
    } finally {
      await upcoming.kill()
    }
  }
  const begin = (number: number): Work => {
    const prefix = `batch ${number}.${works.length}`
    const work: Work = {
      baseUrl: '',
      apiSecret: emulator.media.apiSecret,
      journal: join(folder, `${prefix}.journal`),
      folder: join(folder, prefix),
      prefix,
      count: REQUESTS,
    }
    works.push(work)
    return work
  }
  const finish = (work: Work, baseUrl: string) => runWork({ ...work, baseUrl })

  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))

  const made = new Map(emulator.media.control.submissions().map(({ key, taskIds }) => [key, taskIds]))
  const tasks = new Map(emulator.media.state.tasks.map((task) => [task.id, task]))
  let accepted = 0
  const uncertain = { made: 0, notMade: 0 }
  for (const { work, report } of reports) {
    expect(report.outcomes).toHaveLength(REQUESTS)
    for (const outcome of report.outcomes) {
      const taskIds = made.get(promptOf(work.prefix, outcome.index)) ?? []
      made.delete(promptOf(work.prefix, outcome.index))
      if (outcome.outcome === 'uncertain') {
        expect(taskIds.length).toBeLessThanOrEqual(1)
        uncertain[taskIds.length === 1 ? 'made' : 'notMade']++
        continue
      }
      if (outcome.outcome !== 'succeeded') {
        const cause = 'error' in outcome ? outcome.error : undefined
        throw new Error(`${outcome.outcome}: ${work.prefix} ${outcome.index}`, { cause })
      }
      accepted++
      expect([outcome.handle.id]).toEqual(taskIds)
      const [stored] = tasks.get(outcome.handle.id)?.outputs ?? []
      expect(outcome.files.map(({ sizeBytes }) => sizeBytes)).toEqual([stored?.sizeBytes])
      expect((await stat(outcome.files[0]!.path)).size).toBe(stored?.sizeBytes)
    }
    expect(await readFile(work.journal, 'utf8')).not.toContain(emulator.media.apiSecret)
  }
  // By the emulator's own count, every task that it made appears in an outcome.
  expect([...made.values()].flat()).toEqual([])
  expect(tasks.size).toBe(accepted + uncertain.made)
  expect(killed).toBeGreaterThanOrEqual(KILLS)
  // Kills between batches would prove nothing.
  expect(midway).toBeGreaterThan(KILLS * 0.5)
  expect(uncertain.made).toBeGreaterThan(0)
  expect(uncertain.notMade).toBeGreaterThan(0)
  expect(accepted).toBeGreaterThan(0)
}, 300_000)
