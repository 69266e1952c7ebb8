import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { expect, it } from 'vitest'

import { type Clock, ControlledClock, frozenClock, sleep } from '../../src/core/clock.ts'

/** A base clock that is advanced manually, and its timers. */
function handClock() {
  let nowMs = 1_000
  const timers = new Set<{ dueMs: number; callback: () => void }>()
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    setTimer(callback, delayMs) {
      const timer = { dueMs: nowMs + delayMs, callback }
      timers.add(timer)
      return { cancel: () => void timers.delete(timer) }
    },
  }
  const move = (byMs: number) => {
    nowMs += byMs
    for (const timer of timers) if (timer.dueMs <= nowMs && timers.delete(timer)) timer.callback()
  }
  return { clock, move, timers }
}

it('the controlled clock follows its base clock, plus the time that it was advanced', async () => {
  const { clock: base, move } = handClock()
  const clock = new ControlledClock(base)
  const seen: number[] = []
  clock.setTimer(() => seen.push(clock.now()), 100)
  clock.setTimer(() => seen.push(clock.now()), 300)
  move(99)
  expect(seen).toEqual([])
  move(1)
  expect(seen).toEqual([1_100])
  await clock.advance(150)
  expect([clock.now(), clock.monotonic()]).toEqual([1_250, 1_250])
  move(50)
  expect(seen).toEqual([1_100, 1_300])
})

it('the controlled clock runs timers in order, including those that are set while it advances', async () => {
  const clock = new ControlledClock(frozenClock(0))
  const seen: string[] = []
  const note = (name: string) => () => seen.push(`${name} ${clock.now()}`)
  clock.setTimer(note('c'), 30)
  clock.setTimer(note('a'), 10)
  clock.setTimer(() => {
    note('b')()
    clock.setTimer(note('b2'), 5)
  }, 20)
  clock.setTimer(note('a2'), 10)
  clock.setTimer(note('late'), 31)
  await clock.advance(30)
  expect(seen).toEqual(['a 10', 'a2 10', 'b 20', 'b2 25', 'c 30'])
})

it('the controlled clock runs any timers by due time, then by creation, except the canceled ones', async () => {
  const timers = fc.array(fc.record({ dueMs: fc.integer({ min: 0, max: 20 }), isCanceled: fc.boolean() }))
  await fc.assert(
    fc.asyncProperty(timers, async (given) => {
      const clock = new ControlledClock(frozenClock(0))
      const seen: number[] = []
      const set = given.map(({ dueMs }, order) => clock.setTimer(() => seen.push(order), dueMs))
      for (const [order, { isCanceled }] of given.entries()) if (isCanceled) set[order]?.cancel()
      await clock.advance(20)
      for (const timer of set) timer.cancel()
      const expected = given
        .map(({ dueMs, isCanceled }, order) => ({ dueMs, isCanceled, order }))
        .filter(({ isCanceled }) => !isCanceled)
        .sort((one, other) => one.dueMs - other.dueMs)
      expect(seen).toEqual(expected.map(({ order }) => order))
    }),
    { numRuns: 50 },
  )
})

it('the controlled clock waits for tracked work between timers', async () => {
  const clock = new ControlledClock(frozenClock(0))
  const seen: string[] = []
  clock.setTimer(() => {
    const work = clock.track(new Promise<void>((resolve) => setImmediate(resolve)))
    void work.then(() => clock.setTimer(() => seen.push(`after work ${clock.now()}`), 5))
  }, 10)
  clock.setTimer(() => seen.push(`other ${clock.now()}`), 20)
  await clock.advance(100)
  expect(seen).toEqual(['after work 15', 'other 20'])
})

it('the controlled clock waits for work that tracked work starts', async () => {
  const clock = new ControlledClock(frozenClock(0))
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  let done = false
  clock.setTimer(() => {
    void clock.track(
      turn().then(
        () =>
          void clock.track(
            turn()
              .then(turn)
              .then(() => (done = true)),
          ),
      ),
    )
  }, 10)
  await clock.advance(10)
  expect(done).toBe(true)
})

it('the controlled clock continues after tracked work that fails, and leaves the failure to its owner', async () => {
  const clock = new ControlledClock(frozenClock(0))
  await expect(clock.track(Promise.reject(new Error('mine')))).rejects.toThrow('mine')
  await clock.advance(1)
  expect(clock.now()).toBe(1)
})

it('the controlled clock passes tracked work to its base clock', async () => {
  const tracked: unknown[] = []
  const base: Clock = { ...frozenClock(), track: (work) => (tracked.push(work), work) }
  await new ControlledClock(base).track(Promise.resolve(5))
  expect(tracked).toHaveLength(1)
})

it('the controlled clock keeps one timer on its base clock, and none if no timer is left', () => {
  const { clock: base, timers } = handClock()
  const clock = new ControlledClock(base)
  const first = clock.setTimer(() => {}, 10)
  const second = clock.setTimer(() => {}, 20)
  expect(timers.size).toBe(1)
  first.cancel()
  expect([...timers].map(({ dueMs }) => dueMs)).toEqual([1_020])
  second.cancel()
  expect(timers.size).toBe(0)
  clock.setTimer(() => {}, 10)
  clock.clear()
  expect(timers.size).toBe(0)
})

it.each([-1, Number.NaN, Infinity])('the controlled clock cannot advance by %d', async (ms) => {
  await expect(new ControlledClock(frozenClock()).advance(ms)).rejects.toThrow(
    'can only advance by a finite number',
  )
})

it('sleeping on a clock leaves no timer and no listener behind, whether it ends or is aborted', async () => {
  const { clock, move, timers } = handClock()
  const aborter = new AbortController()
  const listeners = () => getEventListeners(aborter.signal, 'abort').length
  const first = sleep(clock, 5, aborter.signal)
  expect([timers.size, listeners()]).toEqual([1, 1])
  move(5)
  await first
  expect([timers.size, listeners()]).toEqual([0, 0])
  const second = sleep(clock, 5, aborter.signal)
  aborter.abort(new Error('enough'))
  await expect(second).rejects.toThrow('enough')
  await expect(sleep(clock, 5, aborter.signal)).rejects.toThrow('enough')
  expect(timers.size).toBe(0)
})
