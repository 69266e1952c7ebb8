import { expect, test } from 'vitest'

import { longestPrefixMatch } from './prefix-match.ts'

const table = { SAFETY: 1, 'SAFETY.INPUT.*': 2, 'INTERNAL.BAD_OUTPUT': 3, INTERNAL: 4 }

test.each([
  ['SAFETY.INPUT.TEXT', 2],
  ['SAFETY.INPUT', 2],
  ['SAFETY.OUTPUT.VIDEO', 1],
  ['INTERNAL.BAD_OUTPUT.CODE01', 3],
  ['INTERNAL.BAD_OUTPUTS', 4],
  ['INTERNAL', 4],
  ['SAFETYNET', undefined],
  ['', undefined],
  ['OTHER', undefined],
])('R-33: of the keys that a code begins with, the longest decides: %s', (code, expected) => {
  expect(longestPrefixMatch(code, table)).toBe(expected)
})

test('R-33: the order of the table does not matter, and the separator can be another', () => {
  expect(longestPrefixMatch('a/b/c', { 'a/b': 'long', a: 'short' }, '/')).toBe('long')
  expect(longestPrefixMatch('a/b/c', { a: 'short', 'a/b': 'long' }, '/')).toBe('long')
})
