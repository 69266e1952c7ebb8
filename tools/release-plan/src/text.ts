import { sameJson } from '@concord/spec-model'

import { child, keysOf } from './document.ts'
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
 * Compares the members of a place that no rule has handled: descriptions and examples are harmless, and everything else is
 * unknown, which counts as breaking.
 *
 * @param handled the members that rules have compared.
 */
export function compareRest(
  findings: Findings,
  pair: Pair,
  scope: Scope,
  handled: ReadonlySet<string>,
): void {
  for (const key of new Set([...keysOf(pair.base), ...keysOf(pair.next)])) {
    if (handled.has(key)) continue
    const member = membersOf(pair, key)
    if (sameJson(member.base.value, member.next.value)) continue
    const kind = TEXT.has(key) ? 'text-changed' : EXAMPLES.has(key) ? 'example-changed' : 'unknown'
    if (kind === 'unknown') findings.add(kind, member, scope, { name: key })
    else findings.add(kind, member, { ...scope, path: '' })
  }
}

/** A member of both sides. */
export function membersOf({ base, next }: Pair, ...tokens: readonly (string | number)[]): Pair {
  return { base: child(base, ...tokens), next: child(next, ...tokens) }
}

/** Whether a member is there: at both sides, only at one, or at none. */
export function presence({ base, next }: Pair): 'both' | 'added' | 'removed' | 'none' {
  if (next.value === undefined) return base.value === undefined ? 'none' : 'removed'
  return base.value === undefined ? 'added' : 'both'
}

/** A schema without what only people read. */
export function withoutText(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutText)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !TEXT.has(key) && !EXAMPLES.has(key))
      .map(([key, value]) => [key, withoutText(value)]),
  )
}
