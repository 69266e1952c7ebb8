import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { OptionsError } from '../core/errors.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { RequestBudget } from '../limit/limits.ts'

it('R-34: in no minute do polls and other requests together exceed the rate less the reserve', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.nat(11),
      fc.array(fc.record({ afterMs: fc.nat(30_000), poll: fc.boolean() }), { maxLength: 60 }),
      async (requestsPerMinute, lessReserve, steps) => {
        const reserve = Math.min(lessReserve, requestsPerMinute - 1)
        using clock = virtualClock({ autoAdvance: false })
        const budget = new RequestBudget({ clock, requestsPerMinute, reserve })
        const sent: number[] = []
        for (const { afterMs, poll } of steps) {
          await clock.advance(afterMs)
          const now = clock.monotonic()
          const inWindow = () => sent.filter((at) => at > clock.monotonic() - 61_000).length
          if (!poll) {
            budget.note()
            sent.push(now)
            continue
          }
          const room = inWindow() < requestsPerMinute - reserve
          const waitMs = budget.takePoll()
          expect(waitMs === 0).toBe(room)
          if (waitMs === 0) sent.push(now)
          else {
            // The answer is exact: there is room then, and not a moment before.
            const soonest = sent.filter((at) => at > now - 61_000).map((at) => at + 61_000)
            const free = soonest.filter((at) => at <= now + waitMs).length
            expect(inWindow() - free).toBeLessThan(requestsPerMinute - reserve)
            const before = soonest.filter((at) => at < now + waitMs).length
            expect(inWindow() - before).toBeGreaterThanOrEqual(requestsPerMinute - reserve)
          }
        }
      },
    ),
    { numRuns: 40 },
  )
})

it('R-34: other requests are counted but never held back, and take the place of polls', () => {
  using clock = virtualClock({ autoAdvance: false })
  const budget = new RequestBudget({ clock, requestsPerMinute: 10 })
  for (let request = 0; request < 30; request++) budget.note()
  expect(budget.takePoll()).toBe(61_000)
})

it('R-34: once more requests were counted than the rate, the oldest ones make room for polls first', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const budget = new RequestBudget({ clock, requestsPerMinute: 3, reserve: 1 })
  for (let request = 0; request < 5; request++) {
    budget.note()
    await clock.advance(1_000)
  }
  // The last three were sent at 2, 3 and 4 seconds: two of them have to leave the minute.
  expect(budget.takePoll()).toBe(59_000)
  await clock.advance(59_000)
  expect(budget.takePoll()).toBe(0)
  expect(budget.takePoll()).toBe(1_000)
})

it('R-34: a fifth of the rate is reserved unless the caller says otherwise', () => {
  using clock = virtualClock({ autoAdvance: false })
  const polls = (requestsPerMinute: number) => {
    const budget = new RequestBudget({ clock, requestsPerMinute })
    let taken = 0
    while (budget.takePoll() === 0) taken += 1
    return taken
  }
  expect([1, 2, 10, 100].map(polls)).toEqual([1, 1, 8, 80])
})

it.each([
  [{ requestsPerMinute: 0 }, 'requestsPerMinute'],
  [{ requestsPerMinute: 1.5 }, 'requestsPerMinute'],
  [{ requestsPerMinute: 10, reserve: 10 }, 'reserve'],
  [{ requestsPerMinute: 10, reserve: -1 }, 'reserve'],
])('R-34: rejects a budget without room for a poll: %j', (figures, option) => {
  using clock = virtualClock()
  expect(() => new RequestBudget({ clock, ...figures })).toThrow(expect.objectContaining({ option }))
  expect(() => new RequestBudget({ clock, ...figures })).toThrow(OptionsError)
})
