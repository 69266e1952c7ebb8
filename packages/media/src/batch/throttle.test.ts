import { virtualClock } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { Throttle } from './throttle.ts'

const { signal } = new AbortController()

it('R-25: failures of overlapping submissions count once, and later ones again', async () => {
  const throttle = new Throttle(virtualClock())
  const [first, second] = [await throttle.permit(signal), await throttle.permit(signal)]
  expect([throttle.failed(first), throttle.failed(second)]).toEqual([1, 1])
  throttle.release(first)
  throttle.release(second)
  const probe = await throttle.permit(signal)
  expect(throttle.failed(probe)).toBe(2)
  // The service denied this one before the probe was sent.
  expect(throttle.failed(second)).toBe(2)
})

it('R-25: after a failure, submissions are sent one at a time until one is accepted', async () => {
  const clock = virtualClock({ autoAdvance: false })
  const throttle = new Throttle(clock)
  const failed = await throttle.permit(signal)
  throttle.failed(failed)
  throttle.pause(failed, 1_000)
  expect(throttle.pauseMs).toBe(1_000)
  const order: string[] = []
  const probing = throttle.permit(signal).then((permit) => {
    order.push('probe')
    return permit
  })
  const next = throttle.permit(signal).then((permit) => {
    order.push('next')
    return permit
  })
  await clock.advance(999)
  expect(order).toEqual([])
  await clock.advance(1)
  const probe = await probing
  expect([order, probe.isProbe]).toEqual([['probe'], true])
  expect(throttle.failingMs).toBe(1_000)
  throttle.accepted(probe)
  expect((await next).isProbe).toBe(false)
  expect([throttle.failures, throttle.failingMs, throttle.pauseMs]).toEqual([0, 0, 0])
})

it('R-25: the acceptance of a submission that was sent before others failed does not end the pause', async () => {
  const throttle = new Throttle(virtualClock({ autoAdvance: false }))
  const [early, failed] = [await throttle.permit(signal), await throttle.permit(signal)]
  throttle.failed(failed)
  throttle.pause(failed, 1_000)
  throttle.accepted(early)
  expect([throttle.failures, throttle.pauseMs]).toEqual([1, 1_000])
})

it('R-25: the release of an ordinary permit does not end the probe', async () => {
  const clock = virtualClock({ autoAdvance: false })
  const throttle = new Throttle(clock)
  const [first, second] = [await throttle.permit(signal), await throttle.permit(signal)]
  throttle.failed(first)
  throttle.release(first)
  const probe = await throttle.permit(signal)
  let isPermitted = false
  const waiting = throttle.permit(signal).then(() => (isPermitted = true))
  throttle.release(second)
  await clock.settle()
  expect(isPermitted).toBe(false)
  throttle.release(probe)
  expect(await waiting).toBe(true)
})
