import { describe, expect, it } from 'vitest'

import { Fifo } from './receive-queue.ts'

describe('items in order', () => {
  it('leave in the order in which they came', () => {
    const fifo = new Fifo<number>()
    expect(fifo.shift()).toBeUndefined()
    for (const item of [1, 2]) fifo.push(item)
    expect([fifo.length, ...fifo]).toEqual([2, 1, 2])
    expect([fifo.shift(), fifo.length, ...fifo]).toEqual([1, 1, 2])
    fifo.push(3)
    expect([fifo.shift(), fifo.shift(), fifo.shift(), fifo.length]).toEqual([2, 3, undefined, 0])
    fifo.push(4)
    expect([...fifo, fifo.shift(), ...fifo, fifo.length]).toEqual([4, 4, 0])
  })
})
