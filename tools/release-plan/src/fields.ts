import { arrayOf, objectOf, sameJson } from '@concord/spec-model'

import { type At, child, keysOf } from './document.ts'
import { type Findings, type Pair, type Scope, within } from './findings.ts'
import { membersOf } from './text.ts'

/** The members of a `SchemaComparison` that are needed to compare fields. */
export interface Comparison {
  readonly findings: Findings
  compare(pair: Pair, scope: Scope, depth: number): void
}

export function compareFields(comparison: Comparison, pair: Pair, scope: Scope, depth: number): void {
  const { findings } = comparison
  const base = fieldsOf(pair.base)
  const next = fieldsOf(pair.next)
  const isClosed = objectOf(pair.base.value)['additionalProperties'] === false
  const renamed = renames(base, next)
  for (const [name, field] of next) {
    const old = base.get(name)
    if (old) {
      if (old.required !== field.required)
        findings.add(field.required ? 'field-required' : 'field-optional', both(old, field), scope, { name })
      if (old.at.value !== undefined && field.at.value !== undefined)
        comparison.compare(both(old, field), within(scope, `.${name}`), depth + 1)
      else if (old.at.value !== undefined || field.at.value !== undefined)
        findings.add('unknown', both(old, field), scope, { name })
    } else if (![...renamed.values()].includes(name)) {
      const kind = field.required ? 'field-added-required' : 'field-added'
      const added = { base: child(pair.base, 'properties', name), next: field.at }
      findings.add(isClosed ? `${kind}-closed` : kind, added, scope, { name })
    }
  }
  for (const [name, field] of base) {
    if (next.has(name)) continue
    const to = renamed.get(name)
    const now = to === undefined ? undefined : next.get(to)
    if (to !== undefined && now)
      findings.add('field-renamed', both(field, now), scope, { from: name, name: to })
    else {
      const kind = field.required ? 'field-removed-required' : 'field-removed'
      findings.add(kind, { base: field.at, next: child(pair.next, 'properties', name) }, scope, { name })
    }
  }
  compareOthers(comparison, membersOf(pair, 'additionalProperties'), scope, depth)
}

interface Field {
  readonly at: At
  readonly required: boolean
}

function both(base: Field, next: Field): Pair {
  return { base: base.at, next: next.at }
}

/** Returns the fields in a schema's `properties` or `required`. */
function fieldsOf(schema: At): Map<string, Field> {
  const required = arrayOf(objectOf(schema.value)['required']).map(String)
  const properties = child(schema, 'properties')
  const names = new Set([...keysOf(properties), ...required])
  return new Map(
    [...names].map((name) => [name, { at: child(properties, name), required: required.includes(name) }]),
  )
}

/** Finds fields that were renamed, but not changed otherwise. Returns a map from old to new names. */
function renames(base: ReadonlyMap<string, Field>, next: ReadonlyMap<string, Field>): Map<string, string> {
  const removed = [...base].filter(([name]) => !next.has(name))
  const added = [...next].filter(([name]) => !base.has(name))
  const alike = ([, one]: [string, Field], [, other]: [string, Field]): boolean =>
    one.required === other.required && sameJson(one.at.value, other.at.value)
  const found = new Map<string, string>()
  for (const old of removed) {
    const candidates = added.filter((one) => alike(old, one))
    const rivals = removed.filter((one) => alike(one, old))
    if (candidates.length === 1 && rivals.length === 1 && candidates[0]) found.set(old[0], candidates[0][0])
  }
  return found
}

function compareOthers(comparison: Comparison, pair: Pair, scope: Scope, depth: number): void {
  const { findings } = comparison
  const base = openness(pair.base.value)
  const next = openness(pair.next.value)
  if (base === 'schema' && next === 'schema') comparison.compare(pair, within(scope, '.*'), depth + 1)
  else if (base === next) return
  else if (base === 'schema' || next === 'schema') findings.add('others-changed', pair, scope)
  else findings.add(next === 'closed' ? 'others-closed' : 'others-opened', pair, scope)
}

function openness(value: unknown): 'open' | 'closed' | 'schema' {
  if (value === false) return 'closed'
  return value === undefined || value === true || Object.keys(objectOf(value)).length === 0
    ? 'open'
    : 'schema'
}
