import { type PlainSchema, rulesKey } from './rules.ts'

/** One of some types: the one that they share, or a union. Undefined stands for no value at all; without any, nothing is said. */
export function unionOf(types: Iterable<string | undefined>): PlainSchema {
  const branches = [...new Set(types)].map((type): PlainSchema =>
    type === undefined ? { [rulesKey]: { nothing: true } } : { $ref: `#/components/schemas/${type}` },
  )
  const [first = {}] = branches
  return branches.length > 1 ? { anyOf: branches } : first
}
