import { virtualClock } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { Throttle } from './throttle.ts'

it('R-03: a throttle rejects with the reason of the signal before a permit, during a pause, and while a probe is in progress', async () => {
  const { signal } = new AbortController()
  using clock = virtualClock()
  const throttle = new Throttle(clock)
  const reason = new Error('enough')
  await expect(throttle.permit(AbortSignal.abort(reason))).rejects.toBe(reason)

  const first = await throttle.permit(signal)
  throttle.failed(first)
  throttle.pause(first, 60_000)
  const early = new AbortController()
  clock.setTimer(() => early.abort(reason), 1_000)
  await expect(throttle.permit(early.signal)).rejects.toBe(reason)
  expect(clock.elapsedMs).toBe(1_000)

  expect((await throttle.permit(signal)).isProbe).toBe(true)
  const late = new AbortController()
  const waiting = throttle.permit(late.signal)
  late.abort(reason)
  await expect(waiting).rejects.toBe(reason)
})
