import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'

import type { ExtractionOptions } from '../../src/index.ts'
import { pngFile, startExtraction } from '../support/extraction.ts'

/** Starts a service that lists the ends of its jobs, with the names of their files. */
async function startJobs(choices: NonNullable<ExtractionOptions['choices']> = {}) {
  const ended: string[] = []
  const service = await startExtraction({
    choices: {
      ...choices,
      webhook: ({ job }) => void ended.push(`${job.status} ${job.fileName}`),
    },
  })
  const submit = (name = 'a.png') =>
    service.start({ file: pngFile(name), webhook_url: 'https://hooks.example/' })
  return Object.assign(service, { ended, submit })
}

it('a job ends once, even after repeated calls', async () => {
  await using service = await startJobs()
  const id = await service.submit()
  await Promise.all([service.control.completeJob(id), service.control.failJob(id, 'poor scan')])
  expect(service.ended).toEqual(['completed a.png'])
})

it('jobs that are due at the same time end in order, however long their work takes', async () => {
  let turns = 20
  await using service = await startJobs({
    async recognizeImage() {
      const mine = turns
      turns = 0
      for (let turn = 0; turn < mine; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
      return { text: '' }
    },
  })
  for (const name of ['slow.png', 'quick.png']) await service.submit(name)
  await service.control.clock.advance(4_000)
  expect(service.ended).toEqual(['completed slow.png', 'completed quick.png'])
})

it('a job fails if the emulator fails at its end, and the next job continues', async () => {
  let isBroken = false
  await using service = await startJobs({
    quota: {
      nextCycleAt() {
        if (isBroken) throw new Error('a mistake')
        return 0
      },
    },
  })
  const id = await service.submit()
  await service.submit()
  isBroken = true
  await service.control.clock.advance(4_000)
  isBroken = false
  expect(service.ended).toEqual(['failed a.png', 'failed a.png'])
  expect((await service.job(id)).error).toContain('a mistake')
})

it('a job that was deleted during processing sends nothing', async () => {
  await using service = await startJobs()
  const finished = service.control.completeJob(await service.submit())
  service.control.reset()
  await finished
  expect(service.ended).toEqual([])
})

it('a job drops its file when it has ended', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const files: WeakRef<Uint8Array>[] = []
  const fileTypeOf = ({ bytes }: { bytes: Uint8Array }) => {
    files.push(new WeakRef(bytes))
    return 'image/png' as const
  }
  await using service = await startJobs({ fileTypeOf })
  const id = await service.submit()
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(files.map((file) => file.deref() !== undefined)).toEqual([true])
  await service.control.completeJob(id)
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(files[0]?.deref()).toBeUndefined()
})
