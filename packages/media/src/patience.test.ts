import { ConnectionError, RateLimitedError, type ErrorAnswer } from '@concord/runtime'
import { virtualClock } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { Patience } from './patience.ts'

const { signal } = new AbortController()
const answer: ErrorAnswer = { status: 429, body: undefined, text: '', headers: () => new Headers() }
const quota = (retryHelps: boolean) =>
  new RateLimitedError('The quota is exceeded.', answer, { meaning: 'daily-generations', retryHelps })

/** A call that throws these one after the other, and then gives the time at which it succeeded. */
function failing(clock: { readonly elapsedMs: number }, ...errors: Error[]) {
  const call = async () => {
    call.times++
    const error = errors.shift()
    if (error !== undefined) throw error
    return clock.elapsedMs
  }
  call.times = 0
  return call
}

it('R-22: waits longer each time, with jitter, but not less than half of the backoff', async () => {
  for (const [drawn, expected] of [
    [0, 500 + 1_000 + 2_000],
    [1, 1_000 + 2_000 + 4_000],
  ] as const) {
    const clock = virtualClock()
    const call = failing(clock, quota(true), quota(true), quota(true))
    expect(await new Patience(clock, () => drawn, 60_000).keep(call, [429], signal)).toBe(expected)
  }
})

it('R-21: does not call again after what may have arrived', async () => {
  const clock = virtualClock()
  for (const sent of ['maybe', 'yes'] as const) {
    const lost = new ConnectionError('The connection was lost.', { phase: 'receive', sent })
    const call = failing(clock, lost)
    await expect(new Patience(clock, () => 0.5, 60_000).keep(call, [429], signal)).rejects.toBe(lost)
    expect(call.times).toBe(1)
  }
  const unsent = new ConnectionError('No connection.', { phase: 'connect', sent: 'no' })
  expect(await new Patience(clock, () => 0.5, 60_000).keep(failing(clock, unsent), [], signal)).toBe(750)
})

it('R-25: does not call again where a retry does not help, or the status is not worth it', async () => {
  const clock = virtualClock()
  const patience = new Patience(clock, () => 0.5, 60_000)
  for (const [error, statuses] of [
    [quota(false), [429]],
    [quota(true), [503]],
  ] as const)
    await expect(patience.keep(failing(clock, error), statuses, signal)).rejects.toBe(error)
  expect(clock.elapsedMs).toBe(0)
})

it('R-25: lets all calls wait once one of them has met the quota', async () => {
  const clock = virtualClock()
  const patience = new Patience(clock, () => 1, 60_000)
  const first = patience.keep(failing(clock, quota(true)), [429], signal)
  await Promise.resolve()
  const second = failing(clock)
  expect(await Promise.all([first, patience.keep(second, [429], signal)])).toEqual([1_000, 1_000])
})

it('R-23: does not shorten what the service asks for, and gives up at once when that is too long', async () => {
  const clock = virtualClock()
  const asked = (retryAfterMs: number) =>
    new RateLimitedError(
      'Wait.',
      { ...answer, retryAfterMs },
      { meaning: 'daily-generations', retryHelps: true },
    )
  const patience = new Patience(clock, () => 0.5, 60_000)
  expect(await patience.keep(failing(clock, asked(30_000)), [429], signal)).toBe(30_000)
  const long = asked(3_600_000)
  await expect(patience.keep(failing(clock, long), [429], signal)).rejects.toBe(long)
  expect(clock.elapsedMs).toBe(30_000)
})
