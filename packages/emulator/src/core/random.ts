import { getRandomValues } from 'node:crypto'

/** A source of numbers in [0, 1), such as `Math.random`. @public */
export type RandomSource = () => number

/** Creates a source that returns the same numbers for the same seed. The algorithm is sfc32. */
export function seededRandom(seed: string | number): RandomSource {
  let hash = 1779033703
  const text = String(seed)
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 3432918353)
    hash = (hash << 13) | (hash >>> 19)
  }
  let a = hash
  let b = hash ^ 0x9e3779b9
  let c = hash ^ 0x243f6a88
  let counter = 1
  const source = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  for (let round = 0; round < 15; round++) source()
  return source
}

export const systemRandom: RandomSource = () => (getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32

export const HEX = '0123456789abcdef'

export function randomUuid(random: RandomSource): string {
  const hex = [...randomText(random, 32, HEX)]
  hex[12] = '4'
  hex[16] = '89ab'[Math.floor(random() * 4)] ?? '8'
  const text = hex.join('')
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    '-',
  )
}

export function randomText(random: RandomSource, length: number, alphabet: string): string {
  let text = ''
  for (let index = 0; index < length; index++) text += alphabet[Math.floor(random() * alphabet.length)]
  return text
}
