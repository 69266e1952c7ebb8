import { describe, expect, it } from 'vitest'

import { randomText, randomUuid, seededRandom, systemRandom } from '../../src/core/random.ts'

describe('seeded random', () => {
  it('is the same for the same seed and different for another', () => {
    const draw = (seed: string | number) => Array.from({ length: 20 }, seededRandom(seed))
    expect(draw('a')).toEqual(draw('a'))
    expect(draw(7)).toEqual(draw('7'))
    expect(draw('a')).not.toEqual(draw('b'))
  })

  it.each([seededRandom('x'), systemRandom])('is evenly distributed in [0, 1)', (random) => {
    const counts = Array.from({ length: 10 }, () => 0)
    for (let draw = 0; draw < 10_000; draw++) {
      const value = random()
      expect(value >= 0 && value < 1).toBe(true)
      counts[Math.floor(value * 10)]!++
    }
    for (const count of counts) expect(count).toBeGreaterThan(800)
  })

  it('creates version 4 UUIDs and strings of an alphabet', () => {
    const random = seededRandom('x')
    expect(randomUuid(random)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(randomText(random, 30, 'ab')).toMatch(/^[ab]{30}$/)
  })
})
