import { expect, it } from 'vitest'

import { judgeOf } from './checks/examples.ts'
import type { JsonObject } from './document.ts'

/** A value, and whether a named schema of a contract accepts it. */
export type Verdict = readonly [schema: string, verdict: 'accepts' | 'rejects', what: string, value: unknown]

/** Tests that the schemas of a contract accept and reject these values. */
export function testVerdicts(contract: JsonObject, verdicts: readonly Verdict[]): void {
  const judge = judgeOf(contract)
  it.each(verdicts)('%s %s %s', (schema, verdict, _what, value) => {
    expect(judge(`/components/schemas/${schema}`, value).length === 0).toBe(verdict === 'accepts')
  })
}
