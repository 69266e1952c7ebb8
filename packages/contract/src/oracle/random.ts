/** A source of numbers in [0, 1). @public */
export type Random = () => number

/** The same seed always produces the same numbers (mulberry32, seeded by FNV-1a). */
export function seededRandom(seed: string): Random {
  let state = 0x811c9dc5
  for (const byte of Buffer.from(seed)) state = Math.imul(state ^ byte, 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new RangeError('the list to pick from is empty')
  return item
}

/** Picks a whole number from `least` to `most`. */
export function whole(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1))
}
