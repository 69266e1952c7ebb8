import formats from 'ajv-formats/dist/formats.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  hasMaxCodePoints,
  hasMinCodePoints,
  hasUniqueItems,
  isDate,
  isDateTime,
  isInt32,
  isMultipleOf,
  isUri,
  isUuid,
  lacksOneOf,
} from './predicates.ts'

type Test = (value: string) => boolean

/** The format as ajv-formats has it. */
function reference(name: keyof typeof formats.fullFormats): Test {
  const format = formats.fullFormats[name]
  if (format instanceof RegExp) return (value) => format.test(value)
  if (typeof format === 'function') return format as Test
  const { validate } = format as { validate: Test | RegExp }
  return validate instanceof RegExp ? (value) => validate.test(value) : validate
}

/** Strings made of the characters that matter to a format, so that many of them are almost right. */
const near = (...pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(''))

const digits = (most: number) =>
  fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'))
const dates = fc
  .tuple(fc.constantFrom('2024', '2026', '1900', '2000', '0000', '99'), digits(13), digits(32))
  .map((parts) => parts.join('-'))
const times = fc
  .tuple(
    digits(25),
    digits(61),
    digits(61),
    fc.constantFrom('', '.5', '.', '.123456'),
    fc.constantFrom('Z', 'z', '', '+', '-'),
    digits(25),
    fc.constantFrom(':', ''),
    digits(61),
  )
  .map(([hour, minute, second, fraction, sign, offsetHour, colon, offsetMinute]) => {
    const offset = sign === '+' || sign === '-' ? `${sign}${offsetHour}${colon}${offsetMinute}` : sign
    return `${hour}:${minute}:${second}${fraction}${offset}`
  })

describe.each([
  [
    'isUuid',
    isUuid,
    reference('uuid'),
    fc.oneof(fc.uuid(), near('urn:uuid:', '0a9F', '-', 'g', '7d4c1f0e', '9f6b', '1f5f0f1c2b3a')),
  ],
  ['isDate', isDate, reference('date'), fc.oneof(dates, near('2', '0', '-', '02', '29', '2024'))],
  [
    'isDateTime',
    isDateTime,
    reference('date-time'),
    fc.tuple(dates, fc.constantFrom('T', 't', ' ', '', 'TT'), times).map((parts) => parts.join('')),
  ],
  [
    'isUri',
    isUri,
    reference('uri'),
    fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      near(
        'http',
        's',
        ':',
        '/',
        '//',
        '?',
        '#',
        '@',
        '[',
        ']',
        '::',
        '1',
        'ab',
        'v1.',
        '.',
        '%20',
        '%',
        '255.',
        '256',
        'ä',
        ' ',
        '"',
        '&',
        '-',
      ),
      near('[', ']', '::', ':', '1', 'ffff', '1.2.3.4', 'g').map((host) => `http://${host}/`),
    ),
  ],
] as const)('%s', (_, ours, theirs, texts) => {
  it('judges as ajv-formats does', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect({ text, valid: ours(text) }).toEqual({ text, valid: theirs(text) })
      }),
      { seed: 7, numRuns: 3000 },
    )
  })

  it('is tested with valid and invalid strings', () => {
    const verdicts = fc.sample(texts, { seed: 7, numRuns: 3000 }).map(ours)
    expect(verdicts.filter(Boolean).length).toBeGreaterThan(10)
    expect(verdicts.filter((valid) => !valid).length).toBeGreaterThan(10)
  })
})

it('isDateTime takes a leap second only where one can be', () => {
  for (const valid of ['2016-12-31T23:59:60Z', '2016-12-31T18:59:60-05:00', '2017-01-01T05:29:60+05:30'])
    expect(isDateTime(valid)).toBe(true)
  for (const wrong of ['2016-12-31T22:59:60Z', '2016-12-31T23:58:60Z', '2016-12-31T23:59:61Z'])
    expect(isDateTime(wrong)).toBe(false)
})

it('lengths count code points, however long the text', () => {
  const counted = (text: string) => [...text].length
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 12 }), (text, limit) => {
      expect(hasMinCodePoints(limit)(text)).toBe(counted(text) >= limit)
      expect(hasMaxCodePoints(limit)(text)).toBe(counted(text) <= limit)
    }),
    { seed: 7, numRuns: 2000 },
  )
  // An unpaired surrogate is one character.
  expect(hasMaxCodePoints(2)('\ud83d\ud83d')).toBe(true)
  expect(hasMaxCodePoints(1)('\ud83d\ud83d')).toBe(false)
})

it('hasUniqueItems compares as JSON does', () => {
  expect(
    hasUniqueItems([
      { a: 1, b: { c: 1, d: 2 } },
      { b: { d: 2, c: 1 }, a: 1 },
    ]),
  ).toBe(false)
  expect(
    hasUniqueItems([
      [1, 2],
      [2, 1],
    ]),
  ).toBe(true)
  expect(hasUniqueItems([{ a: 1 }, [['a', 1]]])).toBe(true)
  expect(hasUniqueItems(['1', 1, null, false, 0, ''])).toBe(true)
})

it('isMultipleOf follows the definition also where a quotient is huge', () => {
  expect(isMultipleOf(0.5)(1e300)).toBe(true)
  expect(isMultipleOf(3)(10)).toBe(false)
  for (const price of [19.99, 0.07, 0.29, 1.13, 4.35]) expect(isMultipleOf(0.01)(price)).toBe(true)
  expect(isMultipleOf(0.01)(19.995)).toBe(false)
  expect(isMultipleOf(0.1)(5e-324)).toBe(false)
  expect(isMultipleOf(1e-7)(3e-7)).toBe(true)
  expect(isMultipleOf(0.1)(Infinity)).toBe(false)
})

it('isInt32 ends at 32 bits', () => {
  expect([-(2 ** 31), 0, 2 ** 31 - 1].every(isInt32)).toBe(true)
  expect([-(2 ** 31) - 1, 2 ** 31, 0.5, 1e300].some(isInt32)).toBe(false)
})

it('lacksOneOf takes undefined for missing', () => {
  const test = lacksOneOf('a', 'b')
  expect([{}, { a: 1 }, { b: null }, { a: 1, b: undefined }].every(test)).toBe(true)
  expect(test({ a: null, b: null })).toBe(false)
})
