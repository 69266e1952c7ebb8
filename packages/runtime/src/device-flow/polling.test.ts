import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { wait } from '../core/async.ts'
import { OptionsError, TimeoutError } from '../core/errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { httpError } from '../poll/test-support/scripted-service.ts'
import type { DeviceTokenResponse } from './authorize-device.ts'
import { CODE, RECORD, pending, success, lost, refused, type Reply, device } from './test-support/device.ts'

it('R-44: the interval comes from the record and is measured from the receipt of the previous response', async () => {
  const { polls, run, mostAtOnce } = device((index) => (index < 5 ? pending : success), { latencyMs: 1_300 })
  await run()
  expect(mostAtOnce()).toBe(1)
  expect(polls.every(({ code }) => code === CODE)).toBe(true)
  const receipts = [1_300, ...polls.map(({ answeredAt }) => answeredAt)]
  expect(polls.map(({ sentAt }, index) => sentAt - (receipts[index] ?? 0))).toEqual([
    7_000, 7_000, 7_000, 7_000, 7_000, 7_000,
  ])
})

it('R-44: polls never come closer than the interval, whatever the service responds', async () => {
  const replies = fc.constantFrom<() => Reply>(
    () => pending,
    () => ({ error: 'slow_down', key: null }),
    lost,
    refused,
    () => httpError(500),
    () => httpError(429, 20_000),
    () => httpError(503, 1),
    () => new TimeoutError('slow', { limitMs: 1, elapsedMs: 1 }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(replies, { maxLength: 30 }),
      fc.integer({ min: 0, max: 20 }),
      fc.nat(4_000),
      async (list, interval, latencyMs) => {
        const { clock, polls, run, mostAtOnce } = device((index) => list[index]?.() ?? pending, {
          record: { ...RECORD, interval, expires_in: 300 },
          latencyMs,
        })
        using _ = clock
        const error = await rejection(run())
        expect(error).toMatchObject({ code: 'authorization-expired' })
        expect(clock.monotonic()).toBeGreaterThanOrEqual(300_000 + latencyMs)
        expect(mostAtOnce()).toBeLessThanOrEqual(1)
        let intervalMs = Math.max(1, interval) * 1_000
        for (const [index, { sentAt }] of polls.entries()) {
          if (index === 0) expect(sentAt - latencyMs).toBeGreaterThanOrEqual(intervalMs)
          else {
            const before = list[index - 1]?.() ?? pending
            if (!(before instanceof Error) && before.error === 'slow_down') intervalMs += 5_000
            expect(sentAt - (polls[index - 1]?.answeredAt ?? 0)).toBeGreaterThanOrEqual(intervalMs)
          }
        }
      },
    ),
    { numRuns: 40 },
  )
})

it.each([
  [undefined, 5_000],
  [0, 1_000],
  [0.5, 1_000],
  [1.5, 1_500],
])('R-44: an interval of %s s means %i ms', async (interval, intervalMs) => {
  const { run, sentAt } = device((index) => (index < 1 ? pending : success), {
    record: { ...RECORD, interval },
  })
  await run()
  expect(sentAt()).toEqual([intervalMs, 2 * intervalMs])
})

it('R-44: slow_down adds 5 seconds to all further intervals', async () => {
  const { run, sentAt } = device(
    (index) =>
      [{ error: 'slow_down', key: null }, pending, { error: 'slow_down', key: null }, pending][index] ??
      success,
  )
  await run()
  expect(sentAt()).toEqual([7_000, 19_000, 31_000, 48_000, 65_000])
})

it('R-44: the interval does not depend on the wall time', async () => {
  const { clock, run, sentAt } = device((index) => (index < 3 ? pending : success))
  clock.setTimer(() => clock.setWallTime(0), 10_000)
  clock.setTimer(() => clock.setWallTime(9e12), 20_000)
  await run()
  expect(sentAt()).toEqual([7_000, 14_000, 21_000, 28_000])
})

it('R-44: the prompt has everything the user needs, but not the device code', async () => {
  const { prompts, run } = device(() => success, { latencyMs: 500 })
  await run()
  const { device_code: _secret, interval: _interval, ...shown } = RECORD
  expect(prompts).toEqual([{ ...shown, expiresAtMs: 1_000_000 + 500 + 900_000 }])
  const { verification_uri_complete: _, ...record } = RECORD
  const short = device(() => success, { record })
  await short.run()
  expect(short.prompts[0]).not.toHaveProperty('verification_uri_complete')
})

it('R-44: failed polls are retried with growing delays while the codes are valid', async () => {
  const { run, sentAt, saved } = device((index) =>
    index < 5 ? ([refused(), httpError(500), lost(), httpError(503), refused()][index] ?? pending) : success,
  )
  await run()
  expect(sentAt()).toEqual([7_000, 21_000, 49_000, 105_000, 165_000, 225_000])
  expect(saved).toHaveLength(1)
})

it('R-44: Retry-After of a failed poll is honored', async () => {
  const { run, sentAt } = device((index) => (index === 0 ? httpError(429, 40_000) : success))
  await run()
  expect(sentAt()).toEqual([7_000, 47_000])
})

it.each([400, 401, 404])(
  'R-44: a poll that the service rejects with %i ends the authorization with that error',
  async (status) => {
    const { run } = device(() => httpError(status))
    expect(await rejection(run())).toMatchObject({ code: 'http', status })
  },
)

it('R-60: each failed poll that is repeated is a retry event', async () => {
  const { run, events } = device((index) => [httpError(503), lost(), success][index] as Reply)
  await run()
  const event = { type: 'retry', operation: 'pollDeviceToken' }
  expect(events).toEqual([
    { ...event, attempt: 1, delayMs: 14_000, cause: 503 },
    { ...event, attempt: 2, delayMs: 28_000, cause: 'connection' },
  ])
})

it('R-44: polling does not wait for the prompt', async () => {
  const { run, sentAt } = device(() => success, { onPrompt: () => new Promise(() => {}) })
  await run()
  expect(sentAt()).toEqual([7_000])
})

it('R-44: a failed prompt ends the authorization at once with its error', async () => {
  const mistake = new Error('no terminal')
  for (const failAfterMs of [0, 3_000]) {
    const { clock, run, polls } = device(() => success, {
      onPrompt: async () => {
        if (failAfterMs > 0) await wait(clock, failAfterMs)
        throw mistake
      },
    })
    expect(await rejection(run())).toBe(mistake)
    expect(clock.monotonic()).toBe(failAfterMs)
    expect(polls).toEqual([])
  }
})

it('R-36: onUpdate receives polls, times and failures', async () => {
  const failure = httpError(500)
  const { run, updates } = device(
    (index) => [pending, failure][index] ?? { error: 'expired_token', key: null },
    {
      latencyMs: 500,
      record: { ...RECORD, expires_in: 25 },
    },
  )
  await rejection(run())
  expect(updates).toStrictEqual([
    {
      state: 'pending',
      polls: 1,
      elapsedMs: 7_500,
      nextPollInMs: 7_000,
      expiresInMs: 17_500,
      keyMayBeLost: false,
    },
    {
      state: 'pending',
      polls: 2,
      elapsedMs: 15_000,
      nextPollInMs: undefined,
      expiresInMs: 10_000,
      keyMayBeLost: true,
      pollError: failure,
    },
  ])
})

it('R-44: a Retry-After beyond the end of the codes ends the authorization exactly then, without a retry event', async () => {
  const { clock, run, polls, events } = device(() => httpError(429, 3_600_000))
  expect(await rejection(run())).toMatchObject({ code: 'authorization-expired', keyMayBeLost: false })
  expect(clock.monotonic()).toBe(900_000)
  expect(polls).toHaveLength(1)
  expect(events).toEqual([])
})

it('R-44: a response without the field `key` counts as one without a key', async () => {
  const { run, sentAt } = device((index) =>
    index === 0 ? ({ error: 'authorization_pending' } as DeviceTokenResponse) : success,
  )
  await run()
  expect(sentAt()).toEqual([7_000, 14_000])
})

it('R-44: an authorization without a deadline starts no timer', async () => {
  const timers: number[] = []
  for (const options of [{}, { deadline: '1h' }] as const) {
    const flow = device(() => success, { ...options, onPrompt: () => void timers.push(flow.clock.timers) })
    await flow.run()
  }
  expect(timers).toEqual([0, 1])
})

it('R-44: an unusable deadline is rejected before any request', async () => {
  const { run, prompts } = device(() => success, { deadline: 'soon' as never })
  expect(await rejection(run())).toBeInstanceOf(OptionsError)
  expect(prompts).toEqual([])
})
