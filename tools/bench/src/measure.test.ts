import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { cost, costOver, difference, interleave, median, quantile, speed, spread } from './measure.ts'

const measurements = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 40 })

describe('median, quantile and spread', () => {
  it('takes the value halfway between the two middle ones of an even number of measurements', () => {
    expect(median([4, 1, 2, 100])).toBe(3)
  })

  it('interpolates a quartile between two measurements', () => {
    expect(quantile([10, 20, 30, 40], 0.25)).toBe(17.5)
    expect(spread([10, 20, 30, 40])).toEqual({ lowerQuartile: 17.5, median: 25, upperQuartile: 32.5 })
  })

  it("doesn't change the list of measurements", () => {
    const values = [3, 1, 2]
    median(values)
    expect(values).toEqual([3, 1, 2])
  })

  it('rejects an empty list of measurements', () => {
    expect(() => median([])).toThrow('no measurements to summarize')
  })

  it('has no more measurements on either side of a quantile than its part of them', () => {
    fc.assert(
      fc.property(measurements, fc.constantFrom(0, 0.25, 0.5, 0.75, 1), (values, part) => {
        const found = quantile(values, part)
        const gaps = values.length - 1
        expect(values.filter((value) => value < found).length).toBeLessThanOrEqual(Math.ceil(gaps * part))
        expect(values.filter((value) => value > found).length).toBeLessThanOrEqual(
          Math.ceil(gaps * (1 - part)),
        )
      }),
    )
  })
})

describe('comparisons', () => {
  it('returns how many times as fast as the base a subject is', () => {
    expect(speed([20, 20, 20], [10, 10, 10]).median).toBe(0.5)
  })

  it('returns how many times as much as the base a subject costs', () => {
    expect(cost([20, 20, 20], [10, 10, 10]).median).toBe(2)
  })

  it('returns how much more than the base a subject takes, in the unit of the measurement', () => {
    expect(difference([78, 70, 74], [66, 66, 66])).toEqual({ lowerQuartile: 6, median: 8, upperQuartile: 10 })
  })

  it('subtracts the floor that both sides share before it compares them', () => {
    expect(costOver([40, 40], [50, 50], [80, 80]).median).toBe(0.25)
  })

  it('compares within each round, so that a slow moment of the machine affects both sides', () => {
    const slowTimes = [10, 1000, 10, 500, 10]
    const base = slowTimes
    const subject = slowTimes.map((value) => value * 2)
    expect(cost(subject, base)).toEqual({ lowerQuartile: 2, median: 2, upperQuartile: 2 })
    expect(speed(subject, base)).toEqual({ lowerQuartile: 0.5, median: 0.5, upperQuartile: 0.5 })
  })

  it('rejects subjects that were not measured in the same rounds', () => {
    expect(() => cost([1, 2], [1])).toThrow('not measured in the same rounds')
    expect(() => costOver([1], [1, 2], [1, 2])).toThrow('not measured in the same rounds')
  })
})

describe('interleave', () => {
  const quiet = { what: 'calls', progress: () => undefined }
  const both = new Map([
    ['A', 0],
    ['B', 1],
  ])

  it('measures the subjects in turn, round after round, and shows each round', async () => {
    const order: string[] = []
    const shown: string[] = []
    const progress = (text: string) => void shown.push(text)
    const results = await interleave(both, (subject, name) => order.push(`${name}${subject}`), {
      rounds: 2,
      what: 'calls',
      progress,
    })
    expect(order.join(' ')).toBe('A0 B1 A0 B1')
    expect(results.get('B')).toEqual([2, 4])
    expect(shown).toEqual(['calls, round 1 of 2', 'calls, round 2 of 2'])
  })

  it('waits for one measurement before it starts the next', async () => {
    let running = 0
    const measure = async () => {
      running++
      await Promise.resolve()
      return running--
    }
    const results = await interleave(both, measure, { ...quiet, rounds: 3 })
    expect([...results.values()].flat()).toEqual([1, 1, 1, 1, 1, 1])
  })

  it.each([
    [100, 2],
    [0, 1],
  ])('with a time limit of %i, starts no round after it, and finishes round %i', async (limitMs, rounds) => {
    let time = 0
    const slow = () => (time += 40)
    const results = await interleave(both, slow, { ...quiet, rounds: 9, limitMs, now: () => time })
    expect([...results.values()].map((values) => values.length)).toEqual([rounds, rounds])
  })

  it('stops measuring at the first subject that fails', async () => {
    const failing = () => Promise.reject(new Error('no response'))
    await expect(interleave(both, failing, { ...quiet, rounds: 3 })).rejects.toThrow('no response')
  })
})
