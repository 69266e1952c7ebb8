import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { rejection } from '../http/test-support/fixtures.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { bounded } from './async.ts'

const never = new Promise<never>(() => undefined)

it('bounded() returns the work itself if nothing bounds it', () => {
  const work = Promise.resolve(1)
  expect(bounded(work, {})).toBe(work)
  expect(bounded(work, { signals: [undefined] })).toBe(work)
  expect(
    bounded(work, { limit: { clock: virtualClock(), ms: Infinity, error: () => new Error('late') } }),
  ).toBe(work)
})

it('bounded() settles like the work', async () => {
  const { signal } = new AbortController()
  expect(await bounded(Promise.resolve(1), { signals: [signal] })).toBe(1)
  expect(await bounded(async () => 2, { signals: [signal] })).toBe(2)
  const failure = new Error('broken')
  expect(await rejection(bounded(Promise.reject(failure), { signals: [signal] }))).toBe(failure)
  const thrown = bounded(
    () => {
      throw failure
    },
    { signals: [signal] },
  )
  expect(await rejection(thrown)).toBe(failure)
})

it('R-03: bounded() rejects at once with the reason of any signal that is aborted', async () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const waiting = bounded(never, { signals: [first.signal, undefined, second.signal] })
  const reason = { why: 'enough' }
  second.abort(reason)
  expect(await rejection(waiting)).toBe(reason)
})

it('bounded() starts no work if a signal is already aborted, and ignores a promise that fails later', async () => {
  const reason = new Error('too late')
  let begun = false
  const work = async (): Promise<void> => void (begun = true)
  expect(await rejection(bounded(work, { signals: [AbortSignal.abort(reason)] }))).toBe(reason)
  expect(begun).toBe(false)
  const failing = Promise.reject(new Error('nobody listens'))
  expect(await rejection(bounded(failing, { signals: [AbortSignal.abort(reason)] }))).toBe(reason)
})

it('bounded() rejects at the limit with the error of the limit, and aborts the work', async () => {
  const clock = virtualClock()
  let seen: AbortSignal | undefined
  const error = await rejection(
    bounded((signal) => ((seen = signal), never), {
      limit: { clock, ms: 300, error: (elapsedMs) => new Error(`after ${elapsedMs}`) },
    }),
  )
  expect(error).toMatchObject({ message: 'after 300' })
  expect(seen?.reason).toBe(error)
  expect(clock.elapsedMs).toBe(300)
})

it('R-03: bounded() leaves no listener and no timer behind, however it ends', async () => {
  const clock = virtualClock()
  const limit = { clock, ms: 1000, error: () => new Error('late') }
  const controller = new AbortController()
  const signals = [controller.signal]
  await bounded(Promise.resolve(), { signals, limit })
  await rejection(bounded(Promise.reject(new Error('broken')), { signals, limit }))
  await rejection(bounded(never, { signals, limit }))
  const aborted = rejection(bounded(never, { signals, limit }))
  controller.abort(new Error('enough'))
  await aborted
  await Promise.resolve()
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  expect(clock.timers).toBe(0)
})
