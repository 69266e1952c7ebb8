import { arrayOf, differences, type JsonObject, isObject, objectOf, sameJson } from '@concord/spec-model'

import { type At, child, itemsOf } from './document.ts'
import { type Findings, listed, type Pair, type Scope } from './findings.ts'
import { membersIn, membersOf, presence } from './text.ts'

/** Compares `x-facts`: documented limits and other values, which become constants of the client. */
export function compareFacts(findings: Findings, facts: Pair, scope: Scope): void {
  for (const [name, pair] of membersIn(facts)) {
    const there = presence(pair)
    if (there === 'added') findings.add('fact-added', pair, scope, { name })
    else if (there === 'removed') findings.add('fact-removed', pair, scope, { name })
    else {
      const value = membersOf(pair, 'value')
      if (sameJson(pair.base.value, pair.next.value)) continue
      const home = `the constant \`${name}\``
      if (sameJson(value.base.value, value.next.value)) findings.add('text-changed', pair, { ...scope, home })
      else if (includesAll(value.base.value, value.next.value))
        findings.add('fact-extended', value, scope, { name })
      else {
        const pointers = differences(value.base.value, value.next.value)
        const places = pointers.map((pointer) => `\`${pointer || '(root)'}\``)
        findings.add('fact-changed', value, scope, { name, change: listed(places) })
      }
    }
  }
}

/** Returns whether `next` contains everything in `base`. */
function includesAll(base: unknown, next: unknown): boolean {
  if (!isObject(base) || !isObject(next)) return sameJson(base, next)
  return Object.keys(base).every((key) => key in next && includesAll(base[key], next[key]))
}

/** Compares `x-models`: each model's endpoints, inputs and price. */
export function compareModels(findings: Findings, models: Pair, scope: Scope): void {
  const base = rowsOf(models.base)
  const next = rowsOf(models.next)
  for (const [name, now] of next) {
    const old = base.get(name)
    const pair = { base: old ?? { ...models.base, value: undefined }, next: now }
    if (old) compareModel(findings, pair, scope, name)
    else findings.add('model-added', pair, scope, { name })
  }
  for (const [name, old] of base)
    if (!next.has(name))
      findings.add('model-removed', { base: old, next: { ...models.next, value: undefined } }, scope, {
        name,
      })
}

function compareModel(findings: Findings, pair: Pair, scope: Scope, name: string): void {
  const base = objectOf(pair.base.value)
  const next = objectOf(pair.next.value)
  if (!sameJson(base['cost'], next['cost']))
    findings.add('model-priced', membersOf(pair, 'cost'), scope, { name })
  if (!sameJson(base['input'], next['input']))
    findings.add('text-changed', membersOf(pair, 'input'), { ...scope, home: `the model \`${name}\`` })
  const apart: readonly string[] = ['cost', 'input', 'endpoints']
  const rest = (row: JsonObject): object =>
    Object.fromEntries(Object.entries(row).filter(([member]) => !apart.includes(member)))
  const [before, after] = [base, next].map((row) => arrayOf(row['endpoints']))
  if (!sameJson(rest(base), rest(next)) || !before?.every((path) => after?.includes(path)))
    findings.add('model-changed', pair, scope, { name })
  else if (before.length !== after?.length)
    findings.add('model-extended', membersOf(pair, 'endpoints'), scope, { name })
}

function rowsOf(models: At): Map<string, At> {
  return new Map(itemsOf(models).map((row) => [String(child(row, 'model').value), row]))
}
