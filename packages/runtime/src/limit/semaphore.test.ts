import { expect, it } from 'vitest'
import { rejection } from '../http/test-support/fixtures.ts'
import { Semaphore } from './limits.ts'

it('R-57: a Semaphore grants leases up to the capacity, and the next one when a lease is freed', async () => {
  const semaphore = new Semaphore(2)
  const first = await semaphore.acquire()
  await semaphore.acquire()
  let third = false
  const waiting = semaphore.acquire().then(() => (third = true))
  await Promise.resolve()
  expect(third).toBe(false)
  first[Symbol.dispose]()
  await waiting
  expect(semaphore.free).toBe(0)
})

it('R-57: a heavier lease of a Semaphore takes more capacity, and no later one overtakes it', async () => {
  const semaphore = new Semaphore(3)
  const held = await semaphore.acquire(1)
  const order: string[] = []
  const costly = semaphore.acquire(3).then((lease) => (order.push('costly'), lease))
  const cheap = semaphore.acquire(1).then(() => order.push('cheap'))
  await Promise.resolve()
  expect(order).toEqual([])
  held[Symbol.dispose]()
  ;(await costly)[Symbol.dispose]()
  await cheap
  expect(order).toEqual(['costly', 'cheap'])
})

it('a Semaphore frees a lease once, no matter how often it is disposed of', async () => {
  const semaphore = new Semaphore(2)
  const lease = await semaphore.acquire()
  lease[Symbol.dispose]()
  lease[Symbol.dispose]()
  expect(semaphore.free).toBe(2)
})

it('R-03: an abort ends the wait for a lease at once and grants the next one', async () => {
  const semaphore = new Semaphore(2)
  await semaphore.acquire(1)
  const controller = new AbortController()
  const big = rejection(semaphore.acquire(2, [controller.signal]))
  const small = semaphore.acquire(1)
  controller.abort('enough')
  expect(await big).toBe('enough')
  await small
  expect(semaphore.free).toBe(0)
  expect(semaphore.waiting).toBe(0)
})

it('a Semaphore rejects a weight that can never be granted', async () => {
  const semaphore = new Semaphore(2)
  for (const weight of [0, 3, Number.NaN])
    expect(await rejection(semaphore.acquire(weight))).toMatchObject({ option: 'weight' })
  expect(() => new Semaphore(0)).toThrow(/capacity/)
})

it('R-03: frees a lease that is granted while its signal is aborted', async () => {
  const semaphore = new Semaphore(1)
  const held = await semaphore.acquire()
  const controller = new AbortController()
  const waiting = rejection(semaphore.acquire(1, [controller.signal]))
  held[Symbol.dispose]()
  controller.abort('enough')
  expect(await waiting).toBe('enough')
  expect(semaphore.free).toBe(1)
})
