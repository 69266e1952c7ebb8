import fc from 'fast-check'
import { expect, it } from 'vitest'

import { convertText, readNumber } from '../../src/extraction/fields/convert-value.ts'

it.each([
  ['1,284.50', 1284.5],
  ['1.284,50', 1284.5],
  ['1 284,50', 1284.5],
  ["1'284.50", 1284.5],
  ['1,284', 1284],
  ['12,50', 12.5],
  ['1.284.500', 1284500],
  ['1,284,500.25', 1284500.25],
  ['0.5', 0.5],
  ['€ 99', 99],
  ['99.00 EUR', 99],
  ['USD 1,000', 1000],
  ['$-12.50', -12.5],
  ['-$12.50', -12.5],
  ['(12.50)', -12.5],
  ['−3', -3],
  ['21 %', 21],
  ['007', 7],
])('readNumber reads %s as %d', (text, value) => {
  expect(readNumber(text)).toBe(value)
})

it.each(['', 'some', '1,2,3', '12.34.5', '1,284.5.0', '12 boxes', 'A 12', '--3', '1,28,4'])(
  'readNumber rejects %j',
  (text) => {
    expect(readNumber(text)).toBeUndefined()
  },
)

it('readNumber reads numbers as toLocaleString formats them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000 }), (cents) => {
      const text = (cents / 100).toLocaleString('en', { minimumFractionDigits: 2 })
      expect(readNumber(text)).toBe(cents / 100)
      expect(readNumber(`${text} EUR`)).toBe(cents / 100)
    }),
  )
})

it.each([
  [' A ', {}, 'A'],
  ['A', { type: 'string' }, 'A'],
  ['5', { type: 'string' }, '5'],
  ['5', { type: ['null', 'integer'] }, 5],
  ['Yes', { type: 'boolean' }, true],
  ['no', { type: 'boolean' }, false],
  ['2026-03-14', { format: 'date' }, '2026-03-14'],
  ['14 March 2026', { format: 'date' }, '2026-03-14'],
  ['14. Mar. 2026', { format: 'date' }, '2026-03-14'],
  ['March 4, 2026', { format: 'date' }, '2026-03-04'],
  ['25/12/2026', { format: 'date' }, '2026-12-25'],
  ['12/25/2026', { format: 'date' }, '2026-12-25'],
  ['05.05.2026', { format: 'date' }, '2026-05-05'],
  ['eur', { enum: ['USD', 'EUR'] }, 'EUR'],
  ['7', { type: 'integer', enum: [7, 8] }, 7],
])('convertText converts %j as %j to %j', (text, schema, value) => {
  expect(convertText(text, schema)).toEqual({ value })
})

it.each([
  ['some', { type: 'number' }, 'is not a number'],
  ['1.5', { type: 'integer' }, 'is not a whole number'],
  ['perhaps', { type: 'boolean' }, 'is neither yes nor no'],
  ['03/04/2026', { format: 'date' }, 'can be read as two different dates'],
  ['31 February 2026', { format: 'date' }, 'is not a date'],
  ['2026-13-01', { format: 'date' }, 'is not a date'],
  ['14 Foo 2026', { format: 'date' }, 'is not a date'],
  ['soon', { format: 'date' }, 'is not a date'],
  ['CHF', { enum: ['USD', 'EUR'] }, 'is not one of the allowed values'],
  ['x', { type: 'null' }, 'is not null, the only value that the schema allows'],
])('convertText rejects %j as %j', (text, schema, problem) => {
  expect(convertText(text, schema)).toEqual({ problem: expect.stringContaining(problem) })
})
