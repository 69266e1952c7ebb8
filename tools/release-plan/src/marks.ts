import { arrayOf, objectOf, sameJson } from '@concord/spec-model'

import type { Findings, Pair, Scope } from './findings.ts'
import { compareDefault } from './limits.ts'
import { membersOf } from './text.ts'

/** Compares keywords that don't limit a schema's values: `default`, `deprecated`, `x-secret` and `x-transitions`. */
export function compareMarks(findings: Findings, pair: Pair, scope: Scope): void {
  compareDefault(findings, pair, scope)
  compareFlags(findings, pair, scope)
  const moves = membersOf(pair, 'x-transitions')
  const base = arrayOf(moves.base.value).map(move)
  const next = arrayOf(moves.next.value).map(move)
  for (const values of next.filter((one) => !base.includes(one)))
    findings.add('transition-added', moves, scope, { values })
  for (const values of base.filter((one) => !next.includes(one)))
    findings.add('transition-removed', moves, scope, { values })
  if (sameJson([...base].sort(), [...next].sort()) && !sameJson(moves.base.value, moves.next.value))
    findings.add('text-changed', moves, { ...scope, path: '' })
}

export function compareFlags(findings: Findings, pair: Pair, scope: Scope): void {
  const flags = [
    ['deprecated', 'deprecated', 'undeprecated'],
    ['x-secret', 'secret-marked', 'secret-unmarked'],
  ] as const
  for (const [name, set, unset] of flags) {
    const flag = membersOf(pair, name)
    const was = flag.base.value === true
    const is = flag.next.value === true
    if (was !== is) findings.add(is ? set : unset, flag, scope)
  }
}

function move(entry: unknown): string {
  const { from, to } = objectOf(entry)
  return `\`${from === null ? '(start)' : String(from)}\` to \`${to === null ? '(end)' : String(to)}\``
}
