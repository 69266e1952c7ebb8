import { expect, it } from 'vitest'

import { rebaseWith, type Timestamps } from '../src/timestamps.ts'

const base = { connection: 1, offsetMs: 60_500, binaryBytesBefore: 64_000 }
const moved = (timestamps: Timestamps, data: unknown) => rebaseWith(timestamps)(data, base)

it('shifts timestamps at the pointers in `at`, and changes nothing else', () => {
  const data = {
    start: 1.5,
    length: 2,
    words: [{ end: 0.1 }, {}, { end: null }],
    by: { a: { at: 1 }, b: { at: 2 } },
  }
  const before = structuredClone(data)
  expect(moved({ at: ['/start', '/words/*/end', '/by/*/at', '/missing/x'] }, data)).toStrictEqual({
    start: 62,
    length: 2,
    words: [{ end: 60.6 }, {}, { end: null }],
    by: { a: { at: 61.5 }, b: { at: 62.5 } },
  })
  expect(data).toEqual(before)
})

it('shifts timestamps in milliseconds', () => {
  expect(moved({ at: ['/a'], unit: 'ms' }, { a: 5 })).toEqual({ a: 60_505 })
})

it('with `bytesPerSecond`, timestamps follow the audio instead of the elapsed time', () => {
  expect(moved({ at: ['/a'], bytesPerSecond: 32_000 }, { a: 0.25 })).toEqual({ a: 2.25 })
})

it.each([
  ['00:00:00', '00:01:00.500'],
  ['00:00:01.25', '00:01:01.75'],
  ['00:59:00.5', '01:00:01.0'],
  ['00:00:59.4999', '00:01:59.9999'],
  ['00:00:59.49999999', '00:01:59.99999999'],
  ['123:00:00', '123:01:00.500'],
  ['at noon', 'at noon'],
])('shifts the timestamp %s to %s', (from, to) => {
  expect(moved({ at: ['/a'] }, { a: from })).toEqual({ a: to })
})

it('R-50: shifting never fails, however many digits a timestamp has and however deep the event is', () => {
  const long = `00:00:01.${'1'.repeat(120)}`
  expect(moved({ at: ['/a'] }, { a: long })).toEqual({ a: long })
  expect(moved({ at: ['/a'] }, { a: `${'9'.repeat(400)}:00:00` })).toEqual({
    a: `${'9'.repeat(400)}:00:00`,
  })
  expect(moved({ at: ['/a'] }, { a: 1e300 })).toEqual({ a: 1e300 })
  const deep = JSON.parse(`{"a":1,"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`) as object
  const seen = moved({ at: ['/a', '/deep/*/x', '/*/*/*/y'] }, deep) as { a: number }
  expect(seen.a).toBe(61.5)
})

it('shifted timestamps are exact decimal fractions', () => {
  const at = (offsetMs: number, a: number) => rebaseWith({ at: ['/a'] })({ a }, { ...base, offsetMs })
  const seen = at(200, 0.1) as { a: number }
  expect(seen).toEqual({ a: 0.3 })
  // Readers may change what they get.
  seen.a = 0
  expect(Reflect.deleteProperty(seen, 'a')).toBe(true)
})

it.each(['00:00', ['00:00:01'], true])('leaves %j unchanged', (a) => {
  expect(moved({ at: ['/a', '/a/*'] }, { a })).toEqual({ a: Array.isArray(a) ? ['00:01:01.500'] : a })
  expect(moved({ at: ['/a'] }, { a })).toEqual({ a })
})

it('keeps a property named `__proto__`', () => {
  const data = JSON.parse('{"__proto__":{"a":1}}') as object
  const seen = moved({ at: ['/*/a'] }, data) as object
  expect(JSON.stringify(seen)).toBe('{"__proto__":{"a":61.5}}')
})

it('keeps the form of timestamps that need no fraction', () => {
  const whole = rebaseWith({ at: ['/a'] })({ a: '00:00:01' }, { ...base, offsetMs: 59_000 })
  expect(whole).toEqual({ a: '00:01:00' })
})

it('reads escaped names in `at` as JSON Pointers do', () => {
  expect(moved({ at: ['/a~1b/~0'] }, { 'a/b': { '~': 1 } })).toEqual({ 'a/b': { '~': 61.5 } })
})

it.each([null, 7, 'text', new Uint8Array(2)])('leaves the data %o unchanged', (data) => {
  expect(moved({ at: ['/a'] }, data)).toBe(data)
})

it.each([
  [{}, 'timestamps.at'],
  [{ at: [] }, 'timestamps.at'],
  [{ at: '/a' }, 'timestamps.at'],
  [{ at: ['start'] }, 'timestamps.at'],
  [{ at: ['/a', 7] }, 'timestamps.at'],
  [{ at: ['/a'], every: 1 }, 'timestamps.every'],
  [{ at: ['/a'], bytesPerSecond: Infinity }, 'timestamps.bytesPerSecond'],
  [{ at: ['/a'], unit: 'h' }, 'timestamps.unit'],
  [{ at: ['/a'], bytesPerSecond: 0 }, 'timestamps.bytesPerSecond'],
])('rejects the timestamps option %o', (timestamps, option) => {
  expect(() => rebaseWith(timestamps as Timestamps)).toThrow(expect.objectContaining({ option }))
})
