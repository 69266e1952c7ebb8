import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'

import type { Clock } from '../../src/core/clock.ts'
import { applyAfter, applyBefore } from '../../src/core/fault-effects.ts'

function start() {
  const timers = new Set<() => void>()
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    setTimer(callback) {
      timers.add(callback)
      return { cancel: () => void timers.delete(callback) }
    },
  }
  const aborter = new AbortController()
  const environment = { clock, random: () => 0, signal: aborter.signal }
  return { timers, aborter, environment, listeners: () => getEventListeners(aborter.signal, 'abort').length }
}

describe('a latency', () => {
  it('leaves no listener when it is over', async () => {
    const { timers, environment, listeners } = start()
    const waiting = applyBefore([{ kind: 'latency', delayMs: 5 }], environment)
    expect([timers.size, listeners()]).toEqual([1, 1])
    for (const fire of timers) fire()
    await waiting
    expect(listeners()).toBe(0)
  })

  it('leaves no timer when the caller gives up, and sets none if it had already given up', async () => {
    const { timers, aborter, environment } = start()
    const waiting = applyBefore([{ kind: 'latency', delayMs: 5 }], environment)
    aborter.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(timers.size).toBe(0)
    await expect(applyBefore([{ kind: 'latency', delayMs: 5 }], environment)).rejects.toThrow('enough')
    expect(timers.size).toBe(0)
  })
})

it('mid-body faults also break or stall an empty body', async () => {
  const { environment } = start()
  const broken = await applyAfter([{ kind: 'reset', when: 'mid-body' }], new Response(''), environment)
  await expect(broken.text()).rejects.toMatchObject({ phase: 'mid-body' })
})
