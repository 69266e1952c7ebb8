import { virtualClock } from '@concord/runtime/testing'
import { describe, expect, it } from 'vitest'

import { Throttle } from './throttle.ts'

const { signal } = new AbortController()

describe('the throttle of a batch', () => {
  it('lets submissions through concurrently before any failure', async () => {
    using clock = virtualClock()
    const gate = new Throttle(clock)
    expect(await Promise.all([gate.permit(signal), gate.permit(signal)])).toEqual([
      { seen: 0, isProbe: false },
      { seen: 0, isProbe: false },
    ])
    expect([gate.failures, gate.pauseMs, gate.closedMs]).toEqual([0, 0, 0])
  })

  it('sends one submission at a time after a pause, until one is accepted', async () => {
    using clock = virtualClock()
    const gate = new Throttle(clock)
    const first = await gate.permit(signal)
    expect(gate.failed(first)).toBe(1)
    gate.pause(first, 5_000)
    expect([gate.failures, gate.pauseMs]).toEqual([1, 5_000])

    const probe = await gate.permit(signal)
    expect(clock.elapsedMs).toBe(5_000)
    expect(probe.isProbe).toBe(true)
    // The end of a submission that was sent before says nothing about the probe.
    gate.release(first)
    expect([gate.pauseMs, gate.closedMs]).toEqual([0, 5_000])
    let others = 0
    const waiting = [1, 2].map(() => gate.permit(signal).then((permit) => (others++, permit)))
    await new Promise(setImmediate)
    expect(others).toBe(0)

    gate.opened(probe)
    expect((await Promise.all(waiting)).map(({ isProbe }) => isProbe)).toEqual([false, false])
    expect([gate.failures, gate.closedMs]).toEqual([0, 0])
  })

  it('sends another probe if the response to a probe is inconclusive', async () => {
    using clock = virtualClock()
    const gate = new Throttle(clock)
    const first = await gate.permit(signal)
    gate.failed(first)
    gate.pause(first, 1)
    const probe = await gate.permit(signal)
    const next = gate.permit(signal)
    gate.release(probe)
    gate.release(probe)
    expect(await next).toEqual({ seen: 1, isProbe: true })
  })

  it('ends the pause when a submission is accepted that was sent after the last failure', async () => {
    using clock = virtualClock()
    const gate = new Throttle(clock)
    const first = await gate.permit(signal)
    gate.failed(first)
    gate.pause(first, 1)
    const probe = await gate.permit(signal)
    gate.pause(first, 60_000)
    gate.opened(probe)
    expect([gate.failures, gate.pauseMs]).toEqual([0, 0])
  })

  it('keeps the longest pause', async () => {
    using clock = virtualClock()
    const gate = new Throttle(clock)
    const [first, second] = [await gate.permit(signal), await gate.permit(signal)]
    gate.failed(first)
    gate.pause(first, 9_000)
    gate.failed(second)
    gate.pause(second, 1_000)
    expect(gate.pauseMs).toBe(9_000)
  })

  it('counts failures of overlapping submissions once, and ignores a success among them', async () => {
    using clock = virtualClock()
    const gate = new Throttle(clock)
    const [first, second, third] = [
      await gate.permit(signal),
      await gate.permit(signal),
      await gate.permit(signal),
    ]
    expect(gate.failed(first)).toBe(1)
    gate.pause(first, 3_000)
    expect(gate.failed(second)).toBe(1)
    gate.pause(second, 3_000)
    gate.opened(third)
    expect([gate.failures, gate.pauseMs]).toEqual([1, 3_000])
    expect(gate.failed(await gate.permit(signal))).toBe(2)
    expect(gate.closedMs).toBe(3_000)
  })

  it('counts a failure after a success, even of a submission that was sent before', async () => {
    using clock = virtualClock()
    const gate = new Throttle(clock)
    const [first, second] = [await gate.permit(signal), await gate.permit(signal)]
    gate.failed(first)
    gate.pause(first, 1_000)
    gate.opened(await gate.permit(signal))
    expect(gate.failures).toBe(0)
    expect(gate.failed(second)).toBe(1)
  })

  it('measures the time without an accepted submission from the first failure, not the latest', async () => {
    using clock = virtualClock()
    const gate = new Throttle(clock)
    await clock.advance(9_000)
    for (let round = 0; round < 3; round++) {
      const permit = await gate.permit(signal)
      gate.failed(permit)
      gate.pause(permit, 1_000)
    }
    await gate.permit(signal)
    expect(gate.closedMs).toBe(3_000)
  })

  it('R-03: rejects with the reason of the signal before a permit, during a pause, and while a probe is in progress', async () => {
    using clock = virtualClock()
    const gate = new Throttle(clock)
    const reason = new Error('enough')
    await expect(gate.permit(AbortSignal.abort(reason))).rejects.toBe(reason)

    const first = await gate.permit(signal)
    gate.failed(first)
    gate.pause(first, 60_000)
    const early = new AbortController()
    clock.setTimer(() => early.abort(reason), 1_000)
    await expect(gate.permit(early.signal)).rejects.toBe(reason)
    expect(clock.elapsedMs).toBe(1_000)

    expect((await gate.permit(signal)).isProbe).toBe(true)
    const late = new AbortController()
    const waiting = gate.permit(late.signal)
    late.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })
})
