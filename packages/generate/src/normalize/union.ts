import { type PlainSchema, rulesKey } from './rules.ts'

/**
 * The union of some types, or the type itself if there is only one. An undefined type means no value. Without types,
 * anything is accepted.
 */
export function unionOf(types: Iterable<string | undefined>): PlainSchema {
  const branches = [...new Set(types)].map((type): PlainSchema =>
    type === undefined ? { [rulesKey]: { nothing: true } } : { $ref: `#/components/schemas/${type}` },
  )
  const [first = {}] = branches
  return branches.length > 1 ? { anyOf: branches } : first
}
