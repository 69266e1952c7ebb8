import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { median, quantile, spread } from './stats.ts'

const measurements = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 40 })

describe('stats', () => {
  it('takes the middle of an odd number of measurements, in whatever order they came', () => {
    expect(median([9, 1, 5])).toBe(5)
  })

  it('takes what is halfway between the two in the middle of an even number', () => {
    expect(median([4, 1, 2, 100])).toBe(3)
  })

  it('takes a quartile between two measurements in proportion', () => {
    expect(quantile([10, 20, 30, 40], 0.25)).toBe(17.5)
    expect(spread([10, 20, 30, 40])).toEqual({ lowerQuartile: 17.5, median: 25, upperQuartile: 32.5 })
  })

  it('sorts numbers as numbers', () => {
    expect(median([100, 9, 11])).toBe(11)
  })

  it('leaves what it was given as it was', () => {
    const values = [3, 1, 2]
    median(values)
    expect(values).toEqual([3, 1, 2])
  })

  it('refuses to summarize nothing', () => {
    expect(() => median([])).toThrow('there are no measurements')
  })

  it('has no more measurements on either side than its part of them', () => {
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

  it('is not moved by one measurement that went wrong', () => {
    expect(median([10, 11, 12, 13, 90_000])).toBe(12)
  })
})
