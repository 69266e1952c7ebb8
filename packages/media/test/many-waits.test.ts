import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import { expect, it, onTestFinished } from 'vitest'

import { Media, type MediaOptions, type TaskHandle } from '../src/index.ts'
import { json, scripted } from './support.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Returns a client of a service whose tasks run until they are released, and the polls that the service received. */
function service(options: Partial<MediaOptions> = {}) {
  const clock = virtualClock({ autoAdvance: false })
  const seen = { polls: 0, atOnce: 0, most: 0, mostTimers: 0, submitted: 0, ended: false }
  const transport = memoryTransport(async ({ method, url }) => {
    if (method === 'POST') return Response.json({ id: `task-${seen.submitted++}` })
    seen.polls++
    seen.most = Math.max(seen.most, ++seen.atOnce)
    await new Promise(setImmediate)
    seen.atOnce--
    const id = url.split('/').at(-1)
    return Response.json(seen.ended ? { id, status: 'SUCCEEDED', output: [] } : { id, status: 'THROTTLED' })
  })
  const counting: typeof clock = Object.assign(Object.create(clock) as typeof clock, {
    setTimer(callback: () => void, delayMs: number) {
      const timer = clock.setTimer(callback, delayMs)
      seen.mostTimers = Math.max(seen.mostTimers, clock.timers)
      return timer
    },
  })
  const media = new Media({
    baseUrl: 'https://media.example',
    apiSecret: 'secret-placeholder',
    transport,
    clock: counting,
    random: () => 0.5,
    ...options,
  })
  onTestFinished(() => media.close())
  return { clock, media, seen }
}

/** Waits for many tasks until each was polled twice, and returns how much heap a wait takes between two polls. */
async function waitForMany(count: number, submitted: boolean, options: Partial<MediaOptions> = {}) {
  const { clock, media, seen } = service(options)
  const tasks: TaskHandle[] = []
  for (let index = 0; index < count; index++)
    tasks.push(
      submitted
        ? await media.textToVideo({ model: 'gen4.5', promptText: 'rain' })
        : media.task(`task-${index}`),
    )
  const heapBytes = async (): Promise<number> => {
    // Objects with finalizers are collected in the next turn.
    for (let turn = 0; turn < 4; turn++) {
      collect()
      await new Promise(setImmediate)
    }
    return process.memoryUsage().heapUsed
  }
  const before = await heapBytes()
  const waits = tasks.map((task) => task.wait())
  while (seen.polls < 2 * count) await clock.advance(5_000)
  const heapBytesEach = ((await heapBytes()) - before) / count
  seen.ended = true
  await clock.advance(5_000)
  const done = await Promise.all(waits)
  return { done, seen, heapBytesEach, clock }
}

it('R-34: waits for 2,000 tasks with 64 concurrent polls, polls each once in 5 s, and leaves no timers', async () => {
  const { done, seen, clock } = await waitForMany(2_000, true)
  expect(done.map(({ id }) => id)).toEqual(Array.from({ length: 2_000 }, (_, index) => `task-${index}`))
  expect(seen).toMatchObject({ submitted: 2_000, polls: 6_000, most: 64 })
  // One for the next poll, and one timeout for each poll in progress.
  expect(seen.mostTimers).toBeLessThanOrEqual(1 + 64)
  expect(clock.timers).toBe(0)
})

it('R-34: the caller can choose fewer concurrent polls', async () => {
  const { seen } = await waitForMany(200, false, { polling: { connections: 7 } })
  expect(seen).toMatchObject({ polls: 600, most: 7 })
})

it.each([
  ['that was submitted', true],
  ['that is known by its id', false],
])('R-34: a wait for a throttled task %s takes at most 1 KiB between two polls', async (_, submitted) => {
  // Compiled and cached code isn't part of a wait.
  await waitForMany(300, submitted)
  const { heapBytesEach } = await waitForMany(2_000, submitted)
  expect(heapBytesEach).toBeLessThan(1_024)
})

it('a wait polls at once when its handle is woken, and at the pace that `random` picks otherwise', async () => {
  const atMs: number[] = []
  const running = () => (atMs.push(clock.elapsedMs), json({ id: 'a', status: 'RUNNING' })())
  const ended = () => (atMs.push(clock.elapsedMs), json({ id: 'a', status: 'SUCCEEDED', output: [] })())
  const { media, clock } = scripted([running, running, running, ended], { random: () => 0 })
  const task = media.task('a')
  clock.setTimer(() => task.wake(), 5_100)
  await task.wait()
  expect(atMs.map(Math.round)).toEqual([0, 5_000, 5_100, 10_100])
})
