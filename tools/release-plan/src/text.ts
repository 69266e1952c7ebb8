import { sameJson } from '@concord/spec-model'

import { type At, child, keysOf } from './document.ts'
import type { Findings, Pair, Scope } from './findings.ts'

/** Members that only people read. */
const TEXT: ReadonlySet<string> = new Set([
  '$comment',
  'contact',
  'description',
  'externalDocs',
  'license',
  'name',
  'summary',
  'tags',
  'termsOfService',
  'title',
  'version',
  'x-not-shown',
])
const EXAMPLES: ReadonlySet<string> = new Set(['example', 'examples'])

/**
 * Compares the members that aren't in `handled`. Changes to descriptions and examples are harmless. All other changes
 * are `unknown`, which counts as breaking.
 */
export function compareRest(
  findings: Findings,
  pair: Pair,
  scope: Scope,
  handled: ReadonlySet<string>,
): void {
  for (const [key, member] of membersIn(pair)) {
    if (handled.has(key)) continue
    if (sameJson(member.base.value, member.next.value)) continue
    const kind = TEXT.has(key) ? 'text-changed' : EXAMPLES.has(key) ? 'example-changed' : 'unknown'
    if (kind === 'unknown') findings.add(kind, member, scope, { name: key })
    else findings.add(kind, member, { ...scope, path: '' })
  }
}

/** Yields the name and both values of each member that exists on at least one side. */
export function* membersIn(pair: Pair): Generator<[name: string, member: Pair]> {
  for (const name of new Set([...keysOf(pair.base), ...keysOf(pair.next)]))
    yield [name, membersOf(pair, name)]
}

/** Returns both sides of the member at the path `tokens`. */
export function membersOf({ base, next }: Pair, ...tokens: readonly (string | number)[]): Pair {
  return { base: child(base, ...tokens), next: child(next, ...tokens) }
}

/** Returns the pair for a place that exists only in the working tree. */
export function onlyNext({ base }: Pair, next: At): Pair {
  return { base: { ...base, pointer: next.pointer, value: undefined }, next }
}

/** Returns the pair for a place that exists only at the base. */
export function onlyBase({ next }: Pair, base: At): Pair {
  return { base, next: { ...next, pointer: base.pointer, value: undefined } }
}

export function presence({ base, next }: Pair): 'both' | 'added' | 'removed' | 'none' {
  if (next.value === undefined) return base.value === undefined ? 'none' : 'removed'
  return base.value === undefined ? 'added' : 'both'
}

/** In these objects, the keys are names, not keywords: the key `description` in `properties` names a property. */
const NAMES: ReadonlySet<string> = new Set(['properties', 'variables'])

/** Returns a schema, or another part of a contract, without descriptions and examples. */
export function withoutText(part: unknown, hasNames = false): unknown {
  if (Array.isArray(part)) return part.map((item) => withoutText(item))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part)
      .filter(([key]) => hasNames || !(TEXT.has(key) || EXAMPLES.has(key)))
      .map(([key, value]) => [key, withoutText(value, !hasNames && NAMES.has(key))]),
  )
}
