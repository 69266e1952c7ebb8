import { arrayOf, isObject, objectOf, sameJson } from '@concord/spec-model'

import type { At } from './document.ts'
import { type Findings, listed, type Pair, type Scope } from './findings.ts'

/** Compares the types that two schemas allow. Returns whether it makes sense to compare their other keywords. */
export function compareTypes(findings: Findings, pair: Pair, scope: Scope): boolean {
  const base = typesOf(pair.base)
  const next = typesOf(pair.next)
  if (base === undefined || next === undefined) {
    if (next) findings.add('type-narrowed', pair, scope, { values: `values other than ${quoted(next)}` })
    if (base) findings.add('type-widened', pair, scope, { values: `values other than ${quoted(base)}` })
    return base === next
  }
  if (base.includes('integer') && next.includes('number') && !base.includes('number')) {
    findings.add('limit-relaxed', pair, scope, { name: 'type', change: ' from integer to number' })
  } else if (base.includes('number') && next.includes('integer') && !next.includes('number')) {
    findings.add('limit-tightened', pair, scope, { name: 'type', change: ' from number to integer' })
  }
  const plain = (type: string): string => (type === 'integer' ? 'number' : type)
  const isIn = (types: readonly string[], type: string): boolean => types.map(plain).includes(plain(type))
  const added = next.filter((type) => !isIn(base, type))
  const removed = base.filter((type) => !isIn(next, type))
  if (added.length > 0 && removed.length > 0)
    findings.add('type-changed', pair, scope, { from: quoted(base), to: quoted(next) })
  else if (added.length > 0) findings.add('type-widened', pair, scope, { values: quoted(added) })
  else if (removed.length > 0) findings.add('type-narrowed', pair, scope, { values: quoted(removed) })
  return base.some((type) => isIn(next, type))
}

/** Compares the values in `const` or `enum`. */
export function compareValues(findings: Findings, pair: Pair, scope: Scope): void {
  const base = valuesOf(pair.base)
  const next = valuesOf(pair.next)
  const wasOpen = objectOf(pair.base.value)['x-open-enum'] === true
  const isOpen = objectOf(pair.next.value)['x-open-enum'] === true
  if (!base && !next) return
  if (!base || !next) {
    if (next)
      findings.add(isOpen ? 'open-value-added' : 'values-listed', pair, scope, { values: shown(next) })
    if (base)
      findings.add(wasOpen ? 'open-values-dropped' : 'values-freed', pair, scope, { values: shown(base) })
    return
  }
  if (base.length === 1 && next.length === 1 && !wasOpen && !isOpen && !sameJson(base, next)) {
    const kind = scope.automatic ? 'header-constant-changed' : 'constant-changed'
    return findings.add(kind, pair, scope, { from: shown(base), to: shown(next) })
  }
  if (!wasOpen && isOpen) findings.add('enum-opened', pair, scope)
  if (wasOpen && !isOpen) findings.add('enum-closed', pair, scope, { values: shown(next) })
  const added = next.filter((value) => !base.some((other) => sameJson(value, other)))
  const removed = base.filter((value) => !next.some((other) => sameJson(value, other)))
  if (wasOpen === isOpen)
    for (const value of added)
      findings.add(isOpen ? 'open-value-added' : 'value-added', pair, scope, { values: shown([value]) })
  for (const value of removed)
    findings.add(isOpen ? 'open-value-removed' : 'value-removed', pair, scope, { values: shown([value]) })
}

/** Returns the types that a schema allows; undefined if it allows all. */
function typesOf({ value }: At): readonly string[] | undefined {
  const schema = objectOf(value)
  const type = schema['type']
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.map(String)
  return valuesOf({ value })?.map(jsonType)
}

function jsonType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return isObject(value) ? 'object' : typeof value
}

function valuesOf({ value }: Pick<At, 'value'>): readonly unknown[] | undefined {
  const schema = objectOf(value)
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? arrayOf(schema['enum']) : undefined
}

function quoted(types: readonly string[]): string {
  return listed([...new Set(types)].map((type) => `\`${type}\``))
}

const MAX_SHOWN = 6

function shown(values: readonly unknown[]): string {
  const words = values.map((value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``)
  return words.length > MAX_SHOWN
    ? `${words.slice(0, MAX_SHOWN).join(', ')} and ${words.length - MAX_SHOWN} more`
    : listed(words)
}
