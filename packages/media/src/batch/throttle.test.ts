import { virtualClock } from '@concord/runtime/testing'
import { describe, expect, it } from 'vitest'

import { Throttle } from './throttle.ts'

const { signal } = new AbortController()

describe('the throttle of a batch', () => {
  it('lets submissions through concurrently before any failure', async () => {
    using clock = virtualClock()
    const throttle = new Throttle(clock)
    expect(await Promise.all([throttle.permit(signal), throttle.permit(signal)])).toEqual([
      { seen: 0, isProbe: false },
      { seen: 0, isProbe: false },
    ])
    expect([throttle.failures, throttle.pauseMs, throttle.failingMs]).toEqual([0, 0, 0])
  })

  it('sends one submission at a time after a pause, until one is accepted', async () => {
    using clock = virtualClock()
    const throttle = new Throttle(clock)
    const first = await throttle.permit(signal)
    expect(throttle.failed(first)).toBe(1)
    throttle.pause(first, 5_000)
    expect([throttle.failures, throttle.pauseMs]).toEqual([1, 5_000])

    const probe = await throttle.permit(signal)
    expect(clock.elapsedMs).toBe(5_000)
    expect(probe.isProbe).toBe(true)
    // The end of a submission that was sent before says nothing about the probe.
    throttle.release(first)
    expect([throttle.pauseMs, throttle.failingMs]).toEqual([0, 5_000])
    let others = 0
    const waiting = [1, 2].map(() => throttle.permit(signal).then((permit) => (others++, permit)))
    await new Promise(setImmediate)
    expect(others).toBe(0)

    throttle.accepted(probe)
    expect((await Promise.all(waiting)).map(({ isProbe }) => isProbe)).toEqual([false, false])
    expect([throttle.failures, throttle.failingMs]).toEqual([0, 0])
  })

  it('sends another probe if the response to a probe is inconclusive', async () => {
    using clock = virtualClock()
    const throttle = new Throttle(clock)
    const first = await throttle.permit(signal)
    throttle.failed(first)
    throttle.pause(first, 1)
    const probe = await throttle.permit(signal)
    const next = throttle.permit(signal)
    throttle.release(probe)
    throttle.release(probe)
    expect(await next).toEqual({ seen: 1, isProbe: true })
  })

  it('ends the pause when a submission is accepted that was sent after the last failure', async () => {
    using clock = virtualClock()
    const throttle = new Throttle(clock)
    const first = await throttle.permit(signal)
    throttle.failed(first)
    throttle.pause(first, 1)
    const probe = await throttle.permit(signal)
    throttle.pause(first, 60_000)
    throttle.accepted(probe)
    expect([throttle.failures, throttle.pauseMs]).toEqual([0, 0])
  })

  it('keeps the longest pause', async () => {
    using clock = virtualClock()
    const throttle = new Throttle(clock)
    const [first, second] = [await throttle.permit(signal), await throttle.permit(signal)]
    throttle.failed(first)
    throttle.pause(first, 9_000)
    throttle.failed(second)
    throttle.pause(second, 1_000)
    expect(throttle.pauseMs).toBe(9_000)
  })

  it('counts failures of overlapping submissions once, and ignores a success among them', async () => {
    using clock = virtualClock()
    const throttle = new Throttle(clock)
    const [first, second, third] = [
      await throttle.permit(signal),
      await throttle.permit(signal),
      await throttle.permit(signal),
    ]
    expect(throttle.failed(first)).toBe(1)
    throttle.pause(first, 3_000)
    expect(throttle.failed(second)).toBe(1)
    throttle.pause(second, 3_000)
    throttle.accepted(third)
    expect([throttle.failures, throttle.pauseMs]).toEqual([1, 3_000])
    expect(throttle.failed(await throttle.permit(signal))).toBe(2)
    expect(throttle.failingMs).toBe(3_000)
  })

  it('counts a failure after a success, even of a submission that was sent before', async () => {
    using clock = virtualClock()
    const throttle = new Throttle(clock)
    const [first, second] = [await throttle.permit(signal), await throttle.permit(signal)]
    throttle.failed(first)
    throttle.pause(first, 1_000)
    throttle.accepted(await throttle.permit(signal))
    expect(throttle.failures).toBe(0)
    expect(throttle.failed(second)).toBe(1)
  })

  it('measures the time without an accepted submission from the first failure, not the latest', async () => {
    using clock = virtualClock()
    const throttle = new Throttle(clock)
    await clock.advance(9_000)
    for (let round = 0; round < 3; round++) {
      const permit = await throttle.permit(signal)
      throttle.failed(permit)
      throttle.pause(permit, 1_000)
    }
    await throttle.permit(signal)
    expect(throttle.failingMs).toBe(3_000)
  })

  it('R-03: rejects with the reason of the signal before a permit, during a pause, and while a probe is in progress', async () => {
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
})
