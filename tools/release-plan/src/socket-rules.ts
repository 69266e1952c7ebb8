import { arrayOf, objectOf, sameJson } from '@concord/spec-model'

import type { Findings, Pair, Scope } from './findings.ts'
import { changeOf } from './limits.ts'
import { membersOf } from './text.ts'

/**
 * The rules whose value is a number. `more`: a greater number is stricter for clients. `less`: a greater number is
 * less strict.
 */
const FIGURES: Readonly<Record<string, 'more' | 'less'>> = {
  idleCloseMs: 'less',
  'keepAlive/minIntervalMs': 'more',
  'keepAlive/maxIntervalMs': 'less',
}

/** Compares `x-socket-rules`. A new or stricter rule breaks clients that don't follow it. */
export function compareSocketRules(findings: Findings, rules: Pair, scope: Scope): void {
  const add = (asksMore: boolean, pair: Pair, change: string): void =>
    findings.add(asksMore ? 'rule-tightened' : 'rule-relaxed', pair, scope, { change })
  for (const name of new Set([...namesOf(rules.base.value), ...namesOf(rules.next.value)])) {
    const pair = membersOf(rules, ...name.split('/'))
    const base = pair.base.value
    const next = pair.next.value
    if (sameJson(base, next)) continue
    const change = `\`${name.replace('/', '.')}\`${changeOf(base, next)}`
    const greater = FIGURES[name]
    if (base === undefined || next === undefined) add(next !== undefined, pair, change)
    else if (greater && typeof base === 'number' && typeof next === 'number')
      add(next > base === (greater === 'more'), pair, change)
    else if (Array.isArray(base) && arrayOf(next).every((one) => base.includes(one))) add(false, pair, change)
    else add(true, pair, change)
  }
}

/** Each member of `keepAlive` counts as a separate rule. */
function namesOf(rules: unknown): string[] {
  return Object.entries(objectOf(rules)).flatMap(([name, rule]) =>
    name === 'keepAlive' ? Object.keys(objectOf(rule)).map((part) => `${name}/${part}`) : [name],
  )
}
