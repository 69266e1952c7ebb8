import { expect, it } from 'vitest'

import { meaningOf } from './facts.ts'

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
