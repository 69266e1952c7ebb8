import { expect, it } from 'vitest'

import { parseRetryAfter } from './retry-after.ts'

const now = Date.UTC(2026, 0, 1)
const NOON = 12 * 3_600_000

it.each([
  ['0', 0],
  [' 7 ', 7_000],
  ['9999999999999', Number.MAX_SAFE_INTEGER],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['Thu, 01 Jan 2026 12:00:00 GMT', NOON],
  ['Thursday, 01-Jan-26 12:00:00 GMT', NOON],
  ['Thu Jan  1 12:00:00 2026', NOON],
  ['Fri Jan 16 00:00:00 2026', 15 * 86_400_000],
  // Two digits are never more than 50 years ahead.
  ['Friday, 01-Jan-77 00:00:00 GMT', 0],
  ['Tuesday, 01-Jan-30 00:00:00 GMT', Date.UTC(2030, 0, 1) - now],
  ['Thu, 01 Jan 2026 00:00:60 GMT', 60_000],
  ['Thu, 01 Jan 2026 23:59:60 GMT', 86_400_000],
  ['Wednesday, 01-Jan-76 00:00:00 GMT', Date.UTC(2076, 0, 1) - now],
  ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
])('R-23: a Retry-After of %o is read as milliseconds', (value, expected) => {
  expect(parseRetryAfter(value, undefined, now)).toBe(expected)
})

it.each([
  undefined,
  '',
  'soon',
  '-1',
  '1.5',
  '1e9',
  '2026-01-01',
  'Mon, 99 Jan 2026 00:00:00 GMT',
  'Sat, 31 Feb 2026 00:00:00 GMT',
  'Thu, 01 Foo 2026 00:00:00 GMT',
  'Thu, 01 Jan 2026 24:00:00 GMT',
  'Thu, 01 Jan 2026 00:60:00 GMT',
  'Thu, 01 Jan 2026 00:00:61 GMT',
  'Thu, 01 Jan 2026 12:00:00 CET',
])('R-23: a Retry-After of %o is invalid and is ignored', (value) => {
  expect(parseRetryAfter(value, undefined, now)).toBeUndefined()
})

it('R-23: a date in Retry-After is measured from the Date of the same response, in any of the three forms', () => {
  const until = 'Thu, 01 Jan 2026 12:00:00 GMT'
  for (const date of [
    'Thu, 01 Jan 2026 11:59:00 GMT',
    'Thursday, 01-Jan-26 11:59:00 GMT',
    ' Thu Jan  1 11:59:00 2026',
  ]) {
    expect(parseRetryAfter(until, date, now)).toBe(60_000)
  }
  expect(parseRetryAfter(until, 'yesterday', now)).toBe(NOON)
})
