import { expect, it } from 'vitest'

import { ControlledClock, createIdleTimer, frozenClock } from '../../src/core/clock.ts'

function start() {
  const base = new ControlledClock(frozenClock())
  const called: number[] = []
  let set = 0
  const clock = {
    monotonic: () => base.monotonic(),
    setTimer(callback: () => void, delayMs: number) {
      set++
      return base.setTimer(callback, delayMs)
    },
  }
  const timer = createIdleTimer(clock, () => called.push(base.monotonic()))
  return { timer, called, advance: (ms: number) => base.advance(ms), count: () => set }
}

it('an idle timer runs its callback once, after a period without activity', async () => {
  const { timer, called, advance, count } = start()
  for (let piece = 0; piece < 100; piece++) {
    timer.touch(1_000)
    await advance(10)
  }
  expect(called).toEqual([])
  await advance(989)
  expect(called).toEqual([])
  await advance(5_000)
  expect(called).toEqual([1_990])
  expect(count()).toBeLessThan(4)
  timer.touch(1_000)
  await advance(1_000)
  expect(called.length).toBe(2)
})

it('an idle timer fires early enough after a restart with a shorter period', async () => {
  const { timer, called, advance } = start()
  timer.touch(5_000)
  timer.touch(100)
  await advance(100)
  expect(called).toEqual([100])
})
