import type { Direction, SchemaAt, SchemaOracle } from '@concord/spec-model'

import { type Finding, finding } from '../http/exchange.ts'
import type { Mutant } from '../oracle/mutate.ts'

/** A changed copy of a value, and whether the contract accepts the copy. */
export interface JudgedMutant extends Mutant {
  readonly accepted: boolean
}

interface Oracles {
  readonly oracle: Pick<SchemaOracle, 'accepts'>
  readonly looseOracle: Pick<SchemaOracle, 'accepts'>
}

/**
 * Returns, for each changed copy of a value, whether the contract accepts it. Leaves out the invalid copies that
 * clients are allowed to accept (see `SuiteContext.looseOracle`).
 */
export function judgedMutants(
  { oracle, looseOracle }: Oracles,
  schema: SchemaAt,
  mutants: readonly Mutant[],
  direction?: Direction,
): readonly JudgedMutant[] {
  return mutants.flatMap((mutant) => {
    const accepted = oracle.accepts(schema, mutant.value, direction)
    const isOpen = !accepted && looseOracle.accepts(schema, mutant.value, direction)
    return isOpen ? [] : [{ ...mutant, accepted }]
  })
}

/** Returns a sentence that says how many values {@link judgedMutants} left out, or an empty string. */
export function leftOpen(tried: readonly Mutant[], compared: readonly Mutant[]): string {
  const count = tried.length - compared.length
  return count === 0
    ? ''
    : ` ${count} invalid values weren't compared, since the client is allowed to accept them.`
}

/** Reports the values on which a validator disagrees with Ajv. */
export function disagreements(
  mutants: readonly JudgedMutant[],
  verdict: (value: unknown) => boolean,
  at: string,
  who = 'the validator',
): Finding[] {
  return mutants
    .filter(({ value, accepted }) => verdict(value) !== accepted)
    .map(({ accepted, change }) => {
      const what = accepted ? 'rejects a value that Ajv accepts' : 'accepts a value that Ajv rejects'
      return finding('validator', at, `${who} ${what} (the example, with this change: ${change})`)
    })
}

export function sendingMistake({ accepted, change }: JudgedMutant, wasSent: boolean, at: string): Finding[] {
  if (accepted === wasSent) return []
  const what = accepted
    ? 'rejects a value that the contract allows'
    : 'sends a value that the contract rejects'
  return [finding('validator', at, `the client ${what} (the example, with this change: ${change})`)]
}
