import { describe, expect, it } from 'vitest'
import { rejection } from '../http/test-support/fixtures.ts'
import { Semaphore } from './semaphore.ts'

describe('a semaphore', () => {
  it('R-57: lets in what there is room for, and the next when one leaves', async () => {
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

  it('R-57: a costly one takes more, and nobody overtakes it', async () => {
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

  it('frees a lease once, however often it is disposed of', async () => {
    const semaphore = new Semaphore(2)
    const lease = await semaphore.acquire()
    lease[Symbol.dispose]()
    lease[Symbol.dispose]()
    expect(semaphore.free).toBe(2)
  })

  it('R-03: an abort ends the wait at once and lets the next one in', async () => {
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

  it('refuses what can never be had', async () => {
    const semaphore = new Semaphore(2)
    for (const weight of [0, 3, Number.NaN])
      expect(await rejection(semaphore.acquire(weight))).toMatchObject({ option: 'weight' })
    expect(() => new Semaphore(0)).toThrow(/capacity/)
  })
})
