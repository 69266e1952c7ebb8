import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'

import { Background } from '../../src/core/background.ts'
import { ControlledClock, frozenClock } from '../../src/core/clock.ts'
import { seededRandom } from '../../src/core/random.ts'
import { Scripts } from '../../src/core/scripts.ts'
import { defaultExtractionChoices, type ExtractionChoices } from '../../src/extraction/choices.ts'
import { encodeGrayPng } from '../../src/extraction/document/png.ts'
import { Jobs } from '../../src/extraction/jobs.ts'

type JobTools = ConstructorParameters<typeof Jobs>[0]

function startJobs({
  choices,
  ...own
}: Partial<Omit<JobTools, 'choices'>> & { choices?: Partial<ExtractionChoices> } = {}) {
  const clock = new ControlledClock(frozenClock())
  const log = () => {}
  const ended: string[] = []
  const jobs = new Jobs({
    clock,
    log,
    background: new Background('extraction', { clock, log }),
    checkMove: () => {},
    random: seededRandom('jobs'),
    choices: { ...defaultExtractionChoices, ...choices },
    scripts: new Scripts(() => {}),
    finalStatuses: new Set(['completed', 'failed']),
    beforeCompletion: () => undefined,
    ended: (job) => ended.push(`${job.status} ${job.fileName}`),
    ...own,
  })
  const submit = (bytes = encodeGrayPng(1, 1, Uint8Array.of(0)), name = 'a.png') =>
    jobs.submit({
      scope: 'key',
      file: { name, contentType: '', bytes },
      fileType: 'image/png',
      pageCount: 1,
      pipeline: 'standard',
      includePages: false,
      includeImages: false,
      baseUrl: 'http://x.invalid',
    })
  return { clock, jobs, ended, submit }
}

it('every transition of a job is checked against the contract', async () => {
  const moves: string[] = []
  const { clock, jobs, submit } = startJobs({ checkMove: (from, to) => moves.push(`${from} ${to}`) })
  const { id } = submit()
  submit()
  await jobs.finish(id, 'poor scan')
  await clock.advance(4_000)
  expect(moves).toEqual([
    'null queued',
    'null queued',
    'queued processing',
    'processing failed',
    'queued processing',
    'processing completed',
  ])
})

it('a job ends once, even after repeated calls', async () => {
  const { jobs, submit, ended } = startJobs()
  const { id } = submit()
  await Promise.all([jobs.finish(id), jobs.finish(id, 'poor scan')])
  expect(ended).toEqual(['completed a.png'])
})

it('jobs that are due at the same time end in order, however long their work takes', async () => {
  let turns = 20
  const { clock, submit, ended } = startJobs({
    choices: {
      async recognizeImage() {
        const mine = turns
        turns = 0
        for (let turn = 0; turn < mine; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
        return { text: '' }
      },
    },
  })
  for (const name of ['slow.png', 'quick.png']) submit(undefined, name)
  await clock.advance(4_000)
  expect(ended).toEqual(['completed slow.png', 'completed quick.png'])
})

it('a job fails if the emulator fails at its end, and the next job continues', async () => {
  const { clock, jobs, submit, ended } = startJobs({
    beforeCompletion() {
      throw new Error('a mistake')
    },
  })
  const { id } = submit()
  submit()
  await clock.advance(4_000)
  expect(ended).toEqual(['failed a.png', 'failed a.png'])
  expect(jobs.find(id)?.error).toContain('a mistake')
})

it('a job that was deleted during processing sends nothing', async () => {
  const { jobs, submit, ended } = startJobs()
  const { id } = submit()
  const finished = jobs.finish(id)
  jobs.clear()
  await finished
  expect(ended).toEqual([])
})

it('a job drops its file when it has ended', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { jobs, submit } = startJobs()
  const begin = () => {
    const bytes = encodeGrayPng(1, 1, Uint8Array.of(0))
    return { file: new WeakRef(bytes), id: submit(bytes).id }
  }
  const { file, id } = begin()
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(file.deref()).toBeDefined()
  await jobs.finish(id)
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(file.deref()).toBeUndefined()
})
