import { describe, expect, it } from 'vitest'

import { cost, costOver, difference, speed } from './compare.ts'

describe('comparisons', () => {
  it('says how many times as fast as the base a subject is, from times', () => {
    expect(speed([20, 20, 20], [10, 10, 10]).median).toBe(0.5)
  })

  it('says how many times what the base costs', () => {
    expect(cost([20, 20, 20], [10, 10, 10]).median).toBe(2)
  })

  it('says how much more than the base, in its unit', () => {
    expect(difference([78, 70, 74], [66, 66, 66])).toEqual({ lowerQuartile: 6, median: 8, upperQuartile: 10 })
  })

  it('leaves the floor out that both stand on', () => {
    expect(costOver([40, 40], [50, 50], [80, 80]).median).toBe(0.25)
  })

  it('compares within each round, so that a slow time of the machine meets both sides', () => {
    const slowTimes = [10, 1000, 10, 500, 10]
    const base = slowTimes
    const subject = slowTimes.map((value) => value * 2)
    expect(cost(subject, base)).toEqual({ lowerQuartile: 2, median: 2, upperQuartile: 2 })
    expect(speed(subject, base)).toEqual({ lowerQuartile: 0.5, median: 0.5, upperQuartile: 0.5 })
  })

  it('refuses to compare subjects that were not measured in the same rounds', () => {
    expect(() => cost([1, 2], [1])).toThrow('not measured in the same rounds')
    expect(() => costOver([1], [1, 2], [1, 2])).toThrow('not measured in the same rounds')
  })
})
