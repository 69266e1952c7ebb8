import { expect, it } from 'vitest'

import { meaningOf } from './facts.ts'

it.each<[string, string, string, false | undefined]>([
  ['SAFETY.INPUT.TEXT', 'input-moderation', 'none', false],
  ['SAFETY.INPUT.IMAGE.FACE', 'input-moderation', 'none', false],
  ['SAFETY.OUTPUT.VIDEO', 'output-moderation', 'change-prompt', undefined],
  ['INTERNAL.BAD_OUTPUT', 'bad-output', 'retry', undefined],
  ['ASSET.INVALID', 'invalid-asset', 'fix-input', undefined],
  ['INTERNAL', 'server-error', 'retry', undefined],
])('R-33: %s means %s, with the advice %s', (failure, category, advice, refundable) => {
  expect(meaningOf(failure)).toEqual({ category, advice, refundable })
})

it.each([
  'INTERNAL.SOMETHING',
  'INTERNAL.BAD_OUTPUT.COLOUR',
  'ASSET.INVALID.SIZE',
  // A bare prefix: the documentation lists the codes that start with it, but not the prefix itself.
  'SAFETY.INPUT',
  'SAFETY.OUTPUT',
  'SAFETY.INPUT.',
  'SAFETY.INPUTS.TEXT',
  'internal',
  'The model is not available.',
  '',
])('R-33: %j, which is not documented, has no meaning and no advice', (failure) => {
  expect(meaningOf(failure)).toEqual({ category: 'unknown', advice: 'none', refundable: undefined })
})

it('R-33: the longest matching code wins, no matter how the table is ordered', () => {
  const [wide, narrow] = [meaningOf('INTERNAL'), meaningOf('ASSET.INVALID')]
  for (const codes of [
    { 'A.*': wide, 'A.B.*': narrow },
    { 'A.B.*': narrow, 'A.*': wide },
    { 'A.B.C': narrow, 'A.*': wide },
  ]) {
    expect(meaningOf('A.B.C', codes)).toBe(narrow)
    expect(meaningOf('A.C', codes)).toBe(wide)
  }
})
