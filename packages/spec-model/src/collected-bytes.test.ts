import { expect, it } from 'vitest'

import { CollectedBytes } from './collected-bytes.ts'

it('copies bytes instead of keeping the pieces', () => {
  const collected = new CollectedBytes()
  const piece = new Uint8Array(1)
  for (let count = 0; count < 100_000; count++) {
    piece[0] = count
    collected.add(piece)
  }
  collected.add(Uint8Array.from({ length: 1_000_000 }, () => 7))
  const whole = collected.whole()
  expect(whole).toHaveLength(1_100_000)
  expect(whole.slice(0, 100_000).every((byte, index) => byte === index % 256)).toBe(true)
  expect(whole.slice(100_000).every((byte) => byte === 7)).toBe(true)
  collected.clear()
  expect(collected.sizeBytes).toBe(0)
  expect(collected.whole()).toHaveLength(0)
})
