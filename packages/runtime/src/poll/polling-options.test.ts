import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { OptionsError } from '../core/errors.ts'
import { nextPollAt, pollDelayMs } from './poll-loop.ts'
import { checkPollingNames, POLLING_DEFAULTS, toPollSchedule } from './operation.ts'
import { WAITER } from './test-support/scripted-service.ts'

const bare = { status: '/status', success: ['done'], failure: ['failed'], pending: ['open'] }

it('R-32: delays grow exponentially from the shortest towards the longest, with jitter', () => {
  const schedule = toPollSchedule({ ...bare, minDelayMs: 1_000, maxDelayMs: 8_000 })
  const range = (polls: number) => [
    pollDelayMs(schedule, polls, () => 0),
    pollDelayMs(schedule, polls, () => 0.999999),
  ]
  expect([0, 1, 2, 3, 4, 5, 50].map(range)).toEqual([
    [1_000, 1_500],
    [1_500, 2_250],
    [2_250, 3_375],
    [3_375, 5_062],
    [5_063, 7_594],
    [5_333, 8_000],
    [5_333, 8_000],
  ])
})

it("R-32: the client's defaults fill in what the contract leaves out", () => {
  expect(toPollSchedule(bare)).toMatchObject({
    ...POLLING_DEFAULTS,
    firstDelayMs: POLLING_DEFAULTS.minDelayMs,
  })
  expect(toPollSchedule(WAITER)).toMatchObject({
    firstDelayMs: 5_000,
    minDelayMs: 5_000,
    maxDelayMs: 10_000,
    limitMs: 300_000,
  })
})

it('R-32: the caller can set every figure, and a larger `minDelayMs` raises the longest delay', () => {
  expect(toPollSchedule(WAITER, { firstDelayMs: 0, minDelayMs: 20_000, limit: '1h' })).toMatchObject({
    firstDelayMs: 0,
    minDelayMs: 20_000,
    maxDelayMs: 20_000,
    limitMs: 3_600_000,
  })
})

it.each([
  [{ minDelayMs: 0 }, 'polling.job.minDelayMs'],
  [{ minDelayMs: Number.NaN }, 'polling.job.minDelayMs'],
  [{ firstDelayMs: -1 }, 'polling.job.firstDelayMs'],
  [{ maxDelayMs: 4_999 }, 'maxDelayMs'],
  [{ maxDelayMs: Infinity }, 'polling.job.maxDelayMs'],
  [{ limit: 0 }, 'polling.job.limit'],
])('R-32: rejects unusable delays: %j', (options, option) => {
  const check = (): unknown => {
    checkPollingNames(options, 'polling.job')
    return toPollSchedule(WAITER, options)
  }
  expect(check).toThrow(OptionsError)
  expect(check).toThrow(expect.objectContaining({ option }))
})

it('R-32: one poll comes just before the deadline, and none too soon after another', () => {
  const at = (naturalAt: number, earliestAt: number) =>
    nextPollAt({ now: 0, naturalAt, earliestAt, earliestFinalAt: 0, finalAt: 1_000, minDelayMs: 400 })
  expect([at(1_000, 0), at(900, 600), at(900, 601), at(600, 600)]).toEqual([1_000, 600, 1_000, 600])
  fc.assert(
    fc.property(
      fc.record({
        now: fc.nat(1_000),
        natural: fc.oneof(fc.constant(0), fc.nat(10_000)),
        earliest: fc.nat(10_000),
        last: fc.option(fc.nat(20_000), { nil: undefined }),
        minDelayMs: fc.integer({ min: 1, max: 5_000 }),
      }),
      ({ now, natural, earliest, last, minDelayMs }) => {
        const earliestAt = now + Math.min(natural, earliest)
        const naturalAt = now + natural
        const finalAt = last === undefined ? undefined : now + last
        const at = nextPollAt({
          now,
          naturalAt,
          earliestAt,
          earliestFinalAt: earliestAt,
          finalAt,
          minDelayMs,
        })
        expect(at).toBeGreaterThanOrEqual(earliestAt)
        if (naturalAt <= now) expect(at).toBe(now)
        else if (finalAt !== undefined && finalAt >= earliestAt) {
          expect(at).toBeLessThanOrEqual(finalAt)
          if (naturalAt >= finalAt) expect(at).toBe(finalAt)
          // Either this is the last poll, or there is room for it.
          if (at !== finalAt) expect(finalAt - at).toBeGreaterThanOrEqual(minDelayMs)
        } else expect(at).toBe(naturalAt)
      },
    ),
  )
})
