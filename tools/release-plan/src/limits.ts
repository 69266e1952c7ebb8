import { sameJson } from '@concord/spec-model'

import type { Kind } from './rules/index.ts'
import type { Findings, Pair, Scope } from './findings.ts'
import { membersOf, presence } from './text.ts'

/** `more`: a greater number relaxes the limit. `less`: a greater number tightens it. undefined: neither applies. */
const ORDER: Readonly<Record<string, 'more' | 'less' | undefined>> = {
  exclusiveMaximum: 'more',
  exclusiveMinimum: 'less',
  format: undefined,
  maxItems: 'more',
  maxLength: 'more',
  maxProperties: 'more',
  maximum: 'more',
  minItems: 'less',
  minLength: 'less',
  minProperties: 'less',
  minimum: 'less',
  multipleOf: undefined,
  not: undefined,
  pattern: undefined,
  uniqueItems: undefined,
}

export const LIMITS: readonly string[] = Object.keys(ORDER)

/** Keywords that have no effect if their value is 0. */
const IDLE_AT_ZERO: ReadonlySet<string> = new Set(['minItems', 'minLength', 'minProperties'])

/** Formats that can affect a value's type or encoding. */
const TYPED_FORMATS: readonly unknown[] = ['binary', 'byte', 'int64']

export function compareLimits(findings: Findings, pair: Pair, scope: Scope): void {
  for (const [name, order] of Object.entries(ORDER)) {
    const member = membersOf(pair, name)
    const base = effective(name, member.base.value)
    const next = effective(name, member.next.value)
    if (sameJson(base, next)) continue
    if (name === 'format' && [base, next].some((value) => TYPED_FORMATS.includes(value)))
      findings.add('unknown', member, scope, { name })
    else findings.add(kindOf(base, next, order), member, scope, { name, change: changeOf(base, next) })
  }
}

/** Returns undefined if the value has no effect, such as `uniqueItems: false` or `minLength: 0`. */
function effective(name: string, value: unknown): unknown {
  const isIdle = name === 'uniqueItems' ? value === false : value === 0 && IDLE_AT_ZERO.has(name)
  return isIdle ? undefined : value
}

function kindOf(base: unknown, next: unknown, order: 'more' | 'less' | undefined): Kind {
  if (base === undefined) return 'limit-tightened'
  if (next === undefined) return 'limit-relaxed'
  if (order === undefined || typeof base !== 'number' || typeof next !== 'number') return 'check-changed'
  return next > base === (order === 'more') ? 'limit-relaxed' : 'limit-tightened'
}

/** Describes a changed value for the end of a sentence, such as " from 5 to 10". */
export function changeOf(base: unknown, next: unknown): string {
  const from = base === undefined ? '' : ` from ${shown(base)}`
  return next === undefined ? `${from} to none` : `${from} to ${shown(next)}`
}

function shown(value: unknown): string {
  return typeof value === 'number'
    ? String(value)
    : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

/** Compares `default`, which determines the meaning of a request that omits the value. */
export function compareDefault(findings: Findings, pair: Pair, scope: Scope): void {
  const member = membersOf(pair, 'default')
  if (sameJson(member.base.value, member.next.value)) return
  const there = presence(member)
  const kind =
    there === 'added' ? 'default-added' : there === 'removed' ? 'default-removed' : 'default-changed'
  findings.add(kind, member, scope, {
    ...(there === 'added' ? {} : { from: shown(member.base.value) }),
    ...(there === 'removed' ? {} : { to: shown(member.next.value) }),
  })
}
