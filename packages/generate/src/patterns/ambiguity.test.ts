import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { isExponential } from './ambiguity.ts'

describe('a pattern is dangerous', () => {
  it.each([
    '^(a+)+$', '^(a|a)*$', '(x+x+)+y', '^(.*a){20}$', '^(\\w+\\s?)*$', '(?=(a+)+b)', '^(a+){10}$', '^(?:a{1,10}){1,10}$',
    '^(([a-z])+.)+[A-Z]([a-z])+$', '^(a|aa)+$', '^(?:\\w|\\d)+$', '^(?:\\p{Lu}|[A-C])*$', '^(?:é|[à-ü])+$', '^([a-z]+,?)*$',
    '^(?:a?b?)*$', '(a*)*', '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*@[a-z]+$', '(?<x>(?:\\u{61}|a)+)b',
  ])('if a loop can read a string in two ways: %s', (source) => {
    expect(() => new RegExp(source, 'u')).not.toThrow()
    expect(isExponential(source)).toBe(true)
  }) // prettier-ignore

  it.each([
    '^\\s+|\\s+$', '^a*a*$', '^[a-z]+$', '^\\d{4}-\\d{2}-\\d{2}$', '^(?:[a-z]+-)*[a-z]+$', '^(a|b)*$', '^(?:ab|ac)*$', '^([a-z]+,)*$',
    '^(?:a?)*$', '(\\w+)\\1*', '^[^<>]*(?:<[^>]*>[^<>]*)*$', '^(?:[^"\\\\]|\\\\.)*$', '^[A-Za-z0-9.\\-_]{3,255}$', '', '[\\]\\[]+', '^.{0,5000}$',
  ])('and not otherwise: %s', (source) => {
    expect(() => new RegExp(source, 'u')).not.toThrow()
    expect(isExponential(source)).toBe(false)
  }) // prettier-ignore

  it('if it is too large to be looked at', () => {
    expect(isExponential(`^(?:${'a?'.repeat(900)})*$`)).toBe(true)
    expect(isExponential(`^${'(?:a|b)'.repeat(3000)}$`)).toBe(true)
  })
})

it('an answer always comes soon, and what is not dangerous takes few steps of an engine that goes back', () => {
  const inner = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('a', 'b', '[ab]', '[^b]', '\\w', '.'),
      fc.tuple(tie('node'), tie('node')).map(([one, two]) => `${String(one)}${String(two)}`),
      fc.tuple(tie('node'), tie('node')).map(([one, two]) => `(?:${String(one)}|${String(two)})`),
      fc.tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,20}')).map(([one, many]) => `(?:${String(one)})${many}`),
    ),
  })).node // prettier-ignore
  fc.assert(
    fc.property(inner, fc.constantFrom('a', 'b', 'ab', 'aab'), (node, text) => {
      const source = `^${String(node)}$`
      if (isExponential(source)) return
      const value = `${text.repeat(Math.ceil(26 / text.length))}!`
      // Two ways for each of 26 characters would take 67 million steps, too many to try often in a test.
      expect(typeof new RegExp(source, 'u').test(value)).toBe('boolean')
    }),
    { numRuns: 1_000 },
  )
})
