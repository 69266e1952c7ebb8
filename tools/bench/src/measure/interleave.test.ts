import { describe, expect, it } from 'vitest'

import { interleave } from './interleave.ts'

describe('interleave', () => {
  it('measures the subjects in turn, round after round', async () => {
    const order: string[] = []
    const subject = (name: string) => [name, () => order.push(name)] as const
    const results = await interleave(new Map([subject('A'), subject('B'), subject('C')]), { rounds: 2 })
    expect(order.join(' ')).toBe('A B C A B C')
    expect(results.get('B')).toEqual([2, 5])
  })

  it('waits for one measurement before it begins the next', async () => {
    let running = 0
    const measure = async () => {
      running++
      await Promise.resolve()
      return running--
    }
    const results = await interleave(
      new Map([
        ['A', measure],
        ['B', measure],
      ]),
      { rounds: 3 },
    )
    expect([...results.values()].flat()).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('begins no round after its time is over, and leaves none half done', async () => {
    let time = 0
    const slow = () => (time += 40)
    const results = await interleave(
      new Map([
        ['A', slow],
        ['B', slow],
      ]),
      { rounds: 9, limitMs: 100, now: () => time },
    )
    expect([...results.values()].map((values) => values.length)).toEqual([2, 2])
  })

  it('measures one round however little time there is', async () => {
    const results = await interleave(new Map([['A', () => 1]]), { rounds: 9, limitMs: 0 })
    expect(results.get('A')).toEqual([1])
  })

  it('tells before each round how many are done', async () => {
    const told: number[] = []
    await interleave(new Map([['A', () => 1]]), { rounds: 3, onRound: (done) => told.push(done) })
    expect(told).toEqual([0, 1, 2])
  })

  it('stops at the first subject that fails', async () => {
    const failing = () => Promise.reject(new Error('no answer'))
    await expect(interleave(new Map([['A', failing]]), { rounds: 3 })).rejects.toThrow('no answer')
  })
})
