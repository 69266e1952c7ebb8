import * as fc from 'fast-check'
import { stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import type { Clock } from '../core/clock.ts'
import { load } from '../core/async.ts'
import { hostTurn, type VirtualClock, virtualClock } from './virtual-clock.ts'

const sleep = (clock: Clock, ms: number) => new Promise<void>((resolve) => clock.setTimer(resolve, ms))

it('a virtual clock advances by itself while code waits, by exact minutes, days and lock-outs', async () => {
  using clock = virtualClock({ start: 1_000 })
  await sleep(clock, 5 * 60_000)
  expect(clock.monotonic()).toBe(5 * 60_000)
  await sleep(clock, 30 * 24 * 3_600_000)
  await sleep(clock, 15 * 60_000)
  expect(clock.elapsedMs).toBe(5 * 60_000 + 30 * 24 * 3_600_000 + 15 * 60_000)
  expect(clock.now()).toBe(1_000 + clock.elapsedMs)
})

it('a virtual clock does not advance when nothing waits for it', async () => {
  using clock = virtualClock()
  await clock.settle()
  expect(clock.elapsedMs).toBe(0)
  expect(await clock.runToNextTimer()).toBe(false)
})

it('a virtual clock without auto-advance moves only when told to', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const seen: number[] = []
  clock.setTimer(() => seen.push(clock.monotonic()), 10)
  clock.setTimer(() => seen.push(clock.monotonic()), 30)
  await clock.settle()
  expect(seen).toEqual([])
  await clock.advance(9)
  expect(seen).toEqual([])
  await clock.advance(1)
  expect(seen).toEqual([10])
  expect(await clock.runToNextTimer()).toBe(true)
  expect(seen).toEqual([10, 30])
  expect(clock.elapsedMs).toBe(30)
})

it('advance() runs each timer at its own time, including timers that are set on the way', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const seen: string[] = []
  const note = (name: string) => seen.push(`${name}@${clock.monotonic()}`)
  const work = async () => {
    await sleep(clock, 100)
    note('a')
    await Promise.resolve()
    await sleep(clock, 50)
    note('b')
    await sleep(clock, 1_000)
    note('too late')
  }
  void work()
  await clock.advance(200)
  expect(seen).toEqual(['a@100', 'b@150'])
  expect(clock.elapsedMs).toBe(200)
})

it('advance() rejects negative and infinite durations', () => {
  using clock = virtualClock()
  expect(() => clock.advance(-1)).toThrow(RangeError)
  expect(() => clock.advance(Number.NaN)).toThrow(RangeError)
  expect(() => clock.advance(Infinity)).toThrow(RangeError)
})

it('the timers of a virtual clock run by time, then in the order in which they were set, with a turn of the event loop between them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 }), async (delays) => {
      using clock = virtualClock()
      const seen: [number, number][] = []
      let afterwards = 0
      const done = Promise.all(
        delays.map(
          (delayMs, index) =>
            new Promise<void>((resolve) =>
              clock.setTimer(() => {
                expect(afterwards).toBe(seen.length)
                seen.push([clock.monotonic(), index])
                queueMicrotask(() => (afterwards += 1))
                resolve()
              }, delayMs),
            ),
        ),
      )
      await done
      const expected = delays
        .map((delayMs, index): [number, number] => [delayMs, index])
        .toSorted((a, b) => a[0] - b[0])
      expect(seen).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})

it('a canceled timer of a virtual clock never runs and does not hold the clock', async () => {
  using clock = virtualClock()
  let ran = false
  const timer = clock.setTimer(() => (ran = true), 10)
  timer.cancel()
  timer.cancel()
  await sleep(clock, 20)
  expect(ran).toBe(false)
  expect(clock.timers).toBe(0)
})

it('work that is tracked after the clock has started to advance also holds it, even in a manual advance', async () => {
  using clock = virtualClock()
  const seen: string[] = []
  const work = async (name: string): Promise<void> => {
    for (let turn = 0; turn < 40; turn++) await hostTurn()
    seen.push(name)
  }
  const slept = sleep(clock, 1).then(() => seen.push('timer'))
  await hostTurn()
  await Promise.all([clock.track(work('work')), slept])
  using manual = virtualClock({ autoAdvance: false })
  manual.setTimer(() => seen.push('second timer'), 1)
  await Promise.all([manual.advance(1), manual.track(work('second work'))])
  expect(seen).toEqual(['work', 'timer', 'second work', 'second timer'])
})

/** Takes this many turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

it.each<[string, (clock: VirtualClock) => Promise<unknown>]>([
  ['a module is being loaded', () => load(turns(100))],
  ['tracked work is running', (clock) => clock.track(turns(50))],
  ['turns of the event loop follow each other', () => turns(200)],
  [
    'files are accessed',
    async () => {
      for (let step = 0; step < 10; step++) await stat(new URL(import.meta.url))
    },
  ],
  [
    'it is held',
    async (clock) => {
      const [hold, other] = [clock.hold(), clock.hold()]
      // Disposing again has no effect.
      hold[Symbol.dispose]()
      hold[Symbol.dispose]()
      await turns(30)
      other[Symbol.dispose]()
    },
  ],
])('a virtual clock does not advance while %s, however long that takes', async (_, work) => {
  using clock = virtualClock()
  const seen: string[] = []
  const timer = sleep(clock, 1).then(() => seen.push('timer'))
  await Promise.all([work(clock).then(() => seen.push('work')), timer])
  expect(seen).toEqual(['work', 'timer'])
})

it('a virtual clock advances again after tracked work or the load of a module failed', async () => {
  using clock = virtualClock()
  const failure = new Error('gone')
  await expect(clock.track(Promise.reject(failure))).rejects.toBe(failure)
  await expect(load(Promise.reject(failure))).rejects.toThrow('failed to load')
  await sleep(clock, 1)
  expect(clock.elapsedMs).toBe(1)
})

it('setting or canceling a timer counts as activity, after which the clock lets work settle before it advances', async () => {
  using clock = virtualClock({ quietTurns: 3 })
  let turns = 0
  const chain = async () => {
    while (clock.elapsedMs === 0) {
      await hostTurn()
      turns += 1
      if (turns < 50) clock.setTimer(() => {}, 1_000).cancel()
    }
  }
  await Promise.all([chain(), sleep(clock, 1)])
  expect(turns).toBeGreaterThanOrEqual(50)
})

it('two clocks in one process do not block each other', async () => {
  using one = virtualClock()
  using other = virtualClock()
  await Promise.all([sleep(one, 1_000), sleep(other, 2_000)])
  expect([one.elapsedMs, other.elapsedMs]).toEqual([1_000, 2_000])
})

it('an error in a timer of a virtual clock is an uncaught error, as with the timers of the host, and the clock continues', async () => {
  using clock = virtualClock()
  const mistake = new Error('in a timer')
  const caught: unknown[] = []
  const listeners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.once('uncaughtException', (error) => caught.push(error))
  try {
    clock.setTimer(() => {
      throw mistake
    }, 1)
    await sleep(clock, 2)
  } finally {
    for (const listener of listeners) process.on('uncaughtException', listener)
  }
  expect(caught).toEqual([mistake])
})

it('the wall time can be changed without affecting timers or the monotonic time', async () => {
  using clock = virtualClock({ start: 1_000_000 })
  const slept = sleep(clock, 50)
  clock.setWallTime(0)
  expect(clock.now()).toBe(0)
  expect(clock.monotonic()).toBe(0)
  await slept
  expect(clock.now()).toBe(50)
  expect(clock.monotonic()).toBe(50)
})

it('negative and missing delays mean now, and an infinite delay never ends', async () => {
  using clock = virtualClock()
  const seen: string[] = []
  clock.setTimer(() => seen.push('never'), Infinity)
  clock.setTimer(() => seen.push('negative'), -5)
  clock.setTimer(() => seen.push('not a number'), Number.NaN)
  await sleep(clock, 1)
  expect(seen).toEqual(['negative', 'not a number'])
  expect(clock.elapsedMs).toBe(1)
})

it('no timer fires after its virtual clock was disposed of', async () => {
  const clock = virtualClock()
  let fired = 0
  clock.setTimer(() => (fired += 1), 1)
  clock[Symbol.dispose]()
  clock.setTimer(() => (fired += 1), 1)
  await clock.advance(10)
  expect(fired).toBe(0)
  expect(clock.timers).toBe(0)
})

it.each([
  ['spread', (clock: VirtualClock) => ({ ...clock })],
  ['derived from', (clock: VirtualClock) => Object.create(clock) as VirtualClock],
])('a virtual clock works when it is %s', async (_, wrap) => {
  using clock = virtualClock({ autoAdvance: false })
  const wrapped = wrap(clock)
  let hasRung = false
  wrapped.setTimer(() => (hasRung = true), 1000)
  await wrapped.advance(1000)
  expect([hasRung, wrapped.monotonic(), clock.timers]).toEqual([true, 1000, 0])
})
