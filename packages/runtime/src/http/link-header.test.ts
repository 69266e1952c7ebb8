import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { linkTarget } from './paginate.ts'

it.each([
  ['</a?page=2>; rel="next"', '/a?page=2'],
  ['<https://a.example/1>; rel=prev, <https://a.example/3>;rel=next; title="a, b"', 'https://a.example/3'],
  ['<a>; title="x; rel=\\"next\\", y"; rel=last, < b >; REL="first NEXT"', 'b'],
  ['<a>; rel=next; anchor="#b", <c>; rel=next', 'c'],
  ['<a,b>; rel=next', 'a,b'],
  ['<>; rel=next', ''],
  ['x <a>; rel= "first  next" ; y', 'a'],
  ['<a>, <b>; rel=next', 'b'],
  ['<a>; title="\\', undefined],
  ['<a>; title="x\\"; rel=next', undefined],
  ['<a>; title="\\"; rel=last"; rel=next', 'a'],
  ['<a>; =x; rel=next', 'a'],
  ['<a>; "rel=next"', undefined],
  ['<a>; rel="next", <b>; rel=next', 'a'],
  ['<a>; title="b, <c>; rel=next"', undefined],
  ['<a>; rel=prev; rel=next', undefined],
  ['<a>; rel="nextish"', undefined],
  ['<a,>; rel=next', 'a,'],
  ['<a>rel=next', 'a'],
  ['<a>; rel="n\\ext"', 'a'],
  ['<a>; x<, <b>; rel=next', 'b'],
  ['<a', undefined],
  ['', undefined],
])('finds the next page in %s', (header, target) => {
  expect(linkTarget(header, 'next')).toBe(target)
})

it('ends for any header', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[<>;,="\\a ]{0,60}$/), (header) => {
      expect(['string', 'undefined']).toContain(typeof linkTarget(header, 'next'))
    }),
  )
  expect(linkTarget('<a>;'.repeat(100_000), 'next')).toBeUndefined()
})
