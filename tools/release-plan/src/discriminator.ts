import { arrayOf, objectOf, sameJson } from '@concord/spec-model'

import type { At } from './document.ts'
import type { Pair } from './findings.ts'

/**
 * Returns whether each value of a union's discriminator still selects the same alternative. Added and removed
 * alternatives are ignored here, because they are reported separately.
 */
export function isSameDiscriminator({ base, next }: Pair): boolean {
  const [before, after] = [base, next].map(discriminatorOf)
  if (before === undefined || after === undefined) return before === after
  const [old, now] = [alternativesOf(base), alternativesOf(next)]
  const shared = (mapping: Readonly<Record<string, string>>): unknown =>
    Object.entries(mapping)
      .filter(([, name]) => old.has(name) === now.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
  return sameJson(before.others, after.others) && sameJson(shared(before.mapping), shared(after.mapping))
}

function discriminatorOf({ value }: At) {
  const { discriminator } = objectOf(value)
  if (discriminator === undefined) return undefined
  const { mapping, ...others } = objectOf(discriminator)
  const names = Object.entries(objectOf(mapping)).map(([key, to]) => [key, nameOf(to)] as const)
  return { others, mapping: Object.fromEntries(names) }
}

function alternativesOf({ value }: At): ReadonlySet<string> {
  const { oneOf, anyOf } = objectOf(value)
  return new Set([...arrayOf(oneOf), ...arrayOf(anyOf)].map((branch) => nameOf(objectOf(branch)['$ref'])))
}

/**
 * Returns the name of the schema that a reference points to. In a mapping, the reference can be just this name
 * (OpenAPI 3.1, 4.8.25).
 */
function nameOf(reference: unknown): string {
  return String(reference).replace(/^.*\//, '')
}
