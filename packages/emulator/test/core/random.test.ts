import { expect, it } from 'vitest'

import { seededRandom, systemRandom } from '../../src/core/random.ts'

it.each([
  ['seeded', seededRandom('x')],
  ['unpredictable', systemRandom],
])('the %s random source is evenly distributed in [0, 1)', (_, random) => {
  const counts = Array.from({ length: 10 }, () => 0)
  for (let draw = 0; draw < 10_000; draw++) {
    const value = random()
    expect(value >= 0 && value < 1).toBe(true)
    counts[Math.floor(value * 10)]!++
  }
  for (const count of counts) expect(count).toBeGreaterThan(800)
})
