import { expect, it } from 'vitest'
import type { HeaderKind } from '../core/descriptors.ts'
import { readHeaders } from './headers.ts'
import { headerValue, toHeaders } from './transport.ts'

it.each<[HeaderKind, string, unknown]>([
  ['string', ' a, b ', 'a, b'],
  ['number', '7', 7],
  ['number', '-12.50', -12.5],
  ['number', '1e3', 1000],
  ['number', '10E-12', 1e-11],
  ['number', '1.5e+10', 1.5e10],
  ['number', 'x7', 'x7'],
  ['number', '7x', '7x'],
  ['number', '1.', '1.'],
  ['number', '', ''],
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  ['boolean', 'yes', 'yes'],
  ['json', '{"a":[1]}', { a: [1] }],
  ['json', '{', '{'],
  ['strings', 'a , b', ['a', 'b']],
  ['strings', '', []],
  ['numbers', '1, x', [1, 'x']],
  ['booleans', 'true,false', [true, false]],
])('a header of the kind %s with the text `%s` is %j', (kind, text, expected) => {
  expect(readHeaders({ 'x-a': text }, { 'X-A': kind })).toEqual({ 'X-A': expected })
})

it('a header that is missing is left out, and several values are one list', () => {
  expect(Object.keys(readHeaders({}, { 'X-A': 'number', 'X-B': 'strings' }))).toEqual([])
  const raw = { 'x-a': ['1', '2'], 'x-b': '3', 'x-c': undefined }
  expect(readHeaders(raw, { 'X-A': 'numbers' })).toEqual({ 'X-A': [1, 2] })
  expect([headerValue(raw, 'x-a'), headerValue(raw, 'x-b'), headerValue(raw, 'x-c')]).toEqual([
    '1, 2',
    '3',
    undefined,
  ])
  expect([...toHeaders({ 'set-cookie': ['a=1', 'b=2'], 'x-b': '3', 'x-c': undefined })]).toEqual([
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
    ['x-b', '3'],
  ])
})
