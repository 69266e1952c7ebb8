import { type ConcurrencyLimit, Semaphore } from '@concord/runtime'
import { expect, it } from 'vitest'

import { boats, offline, rejection, rich } from './support.ts'

it('R-48: batches that share a limit never exceed it with their unfinished tasks, and free their slots', async () => {
  const { media, emulator } = await offline({}, { media: rich })
  const shared = new Semaphore(2)
  let most = 0
  const sharedConcurrency: ConcurrencyLimit = {
    mayWait: (weight) => shared.mayWait(weight),
    async acquire(weight, signals) {
      const lease = await shared.acquire(weight, signals)
      most = Math.max(most, 2 - shared.free)
      return lease
    },
  }
  const requests = boats(8)
  const reports = await Promise.all(
    [requests.slice(0, 4), requests.slice(4)].map((each) =>
      media.batch(each, { concurrency: 3, sharedConcurrency }),
    ),
  )
  expect(reports).toMatchObject([{ succeeded: 4 }, { succeeded: 4 }])
  expect(emulator.media.state.tasks).toHaveLength(8)
  expect(most).toBe(2)
  expect(shared.free).toBe(2)
})

it('R-48: a request is not sent if the shared limit fails, and the next one gets its local slot', async () => {
  const { media, emulator } = await offline({}, { media: rich })
  const failing = { mayWait: () => true, acquire: () => Promise.reject(new Error('unreachable')) }
  const report = await media.batch(boats(2), { concurrency: 1, sharedConcurrency: failing })
  expect(report.succeeded).toBe(0)
  expect(emulator.media.state.tasks).toHaveLength(0)
  const wrong = { sharedConcurrency: {} as ConcurrencyLimit }
  expect(await rejection(media.batch(boats(1), wrong))).toMatchObject({ option: 'sharedConcurrency' })
})
