import { expect, it } from 'vitest'

import type { Extraction } from '../src/index.ts'
import { responding } from './support.ts'

const ids = Array.from({ length: 5 }, (_, index) => `7f3c2a10-0000-4000-8000-00000000000${index}`)
const id = ids[0]!
const job = { id, created_at: '2026-03-02T09:00:00Z', completed_at: '2026-03-02T09:00:09Z' }

it.each([
  ['a job', (extraction: Extraction) => extraction.job(id).wait(), 11_667],
  ['an optimization', (extraction: Extraction) => extraction.optimization(id).wait(), 12_500],
] as const)(
  'R-33: after a failed poll of %s, the next poll comes at the pace of polls, which `random` spreads',
  async (_what, wait, soonestMs) => {
    const responses = [
      Response.json({}, { status: 503 }),
      Response.json({ ...job, status: 'processing' }),
      Response.json({ ...job, status: 'completed', result: {} }),
    ]
    const atMs: number[] = []
    const respond = () => {
      atMs.push(Math.round(clock.elapsedMs))
      return responses.shift()!
    }
    const { extraction, clock } = responding(respond, { random: () => 0 })
    await wait(extraction)
    expect(atMs).toEqual([0, 5000, soonestMs])
  },
)

it('R-34: no more polls are under way at once than `connections` allows', async () => {
  let underWay = 0
  let most = 0
  const { extraction, clock } = responding(
    async () => {
      most = Math.max(most, ++underWay)
      await new Promise<void>((resolve) => clock.setTimer(resolve, 100))
      underWay--
      return Response.json({ ...job, status: 'completed', result: {} })
    },
    { polling: { connections: 2 } },
  )
  await Promise.all(ids.map((each) => extraction.job(each).wait()))
  expect(most).toBe(2)
})
