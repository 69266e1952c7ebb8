import { arrayOf, type JsonObject, objectOf, sameJson } from '@concord/spec-model'

import { type Findings, listed, type Pair, type Scope } from './findings.ts'
import { changeOf } from './limits.ts'
import { membersIn, membersOf, presence } from './text.ts'

/** The classes of `x-retry`, the most cautious one first. */
const CLASSES = ['never', 'unsent-only', 'safe']

/** Compares `x-retry`: whether a call may be retried. */
export function compareRetry(findings: Findings, pair: Pair, scope: Scope): void {
  if (sameJson(pair.base.value, pair.next.value)) return
  const base = objectOf(pair.base.value)
  const next = objectOf(pair.next.value)
  const name = scope.user
  const [was, is] = [base, next].map((word) => CLASSES.indexOf(String(word['class'])))
  const change = `from ${classOf(base)} to ${classOf(next)}`
  if (was === undefined || is === undefined || was < 0 || is < 0)
    return findings.add('retry-changed', pair, scope, { name, change })
  if (was !== is)
    return findings.add(is > was ? 'retry-relaxed' : 'retry-tightened', pair, scope, { name, change })
  const statuses = [base, next].map((word) => arrayOf(word['statuses']))
  const [before = [], after = []] = statuses
  const fewer = before.filter((status) => !after.includes(status))
  const more = after.filter((status) => !before.includes(status))
  // If a `safe` operation lists no statuses, the client's own list applies. That list isn't known here.
  if (base['class'] === 'safe' && (before.length === 0 || after.length === 0))
    return findings.add('retry-changed', pair, scope, { name, change })
  if (fewer.length > 0)
    findings.add('retry-tightened', pair, scope, {
      name,
      change: `no longer after ${listed(fewer.map(String))}`,
    })
  if (more.length > 0)
    findings.add('retry-relaxed', pair, scope, { name, change: `also after ${listed(more.map(String))}` })
}

function classOf(word: JsonObject): string {
  return `\`${String(word['class'] ?? 'no class')}\``
}

/** Compares `x-outcome`: how to find out whether a call took effect. */
export function compareOutcome(findings: Findings, operations: Pair, scope: Scope): void {
  const pair = membersOf(operations, 'x-outcome')
  const isSafe = membersOf(operations, 'x-retry', 'class').next.value === 'safe'
  for (const [member, { base, next }] of membersIn(pair)) {
    if (sameJson(base.value, next.value)) continue
    const change = `\`${member}\`${changeOf(base.value, next.value)}`
    const isGain =
      (base.value === undefined && member !== 'again') || (member === 'again' && next.value === 'harmless')
    // `again` says what a second call does. It isn't needed if `lookUp` is documented, or if the class in `x-retry`
    // is `safe`: then a second call changes nothing.
    const isReplaced = isSafe || 'lookUp' in objectOf(pair.next.value)
    if (member === 'again' && next.value === undefined && isReplaced) continue
    findings.add(isGain ? 'outcome-added' : 'outcome-changed', { base, next }, scope, {
      name: scope.user,
      change,
    })
  }
}

const LISTS = ['success', 'failure', 'pending'] as const
const PACE: ReadonlySet<string> = new Set(['firstDelayMs', 'minDelayMs', 'maxDelayMs', 'limitMs'])

/** Compares `x-waiter`: how to wait for a status. */
export function compareWaiter(findings: Findings, pair: Pair, scope: Scope): void {
  const name = scope.user
  const there = presence(pair)
  if (there === 'added') return findings.add('waiter-added', pair, scope, { name })
  if (there === 'removed') return findings.add('waiter-removed', pair, scope, { name })
  const base = objectOf(pair.base.value)
  const next = objectOf(pair.next.value)
  const listOf = (word: JsonObject, value: unknown): string | undefined =>
    LISTS.find((list) => arrayOf(word[list]).includes(value))
  const values = new Set([base, next].flatMap((word) => LISTS.flatMap((list) => arrayOf(word[list]))))
  for (const value of values) {
    const [was, is] = [listOf(base, value), listOf(next, value)]
    if (was === is) continue
    const at = membersOf(pair, is ?? was ?? 'success')
    const text = `\`${String(value)}\``
    // If a status isn't in any list, clients treat it as pending.
    if (was === undefined && is)
      findings.add('waiter-status-listed', at, scope, { name, values: text, to: is })
    else
      findings.add('waiter-changed', at, scope, { name, change: `${text} from ${was} to ${is ?? 'no list'}` })
  }
  for (const member of new Set([...Object.keys(base), ...Object.keys(next)])) {
    if ((LISTS as readonly string[]).includes(member) || sameJson(base[member], next[member])) continue
    const change = `\`${member}\`${changeOf(base[member], next[member])}`
    findings.add(
      PACE.has(member) ? 'waiter-pace-changed' : 'waiter-changed',
      membersOf(pair, member),
      scope,
      { name, change },
    )
  }
}

/** Compares `x-pagination`: how to get the next page. */
export function comparePagination(findings: Findings, pair: Pair, scope: Scope): void {
  const name = scope.user
  const there = presence(pair)
  if (there === 'added') return findings.add('pagination-added', pair, scope, { name })
  if (there === 'removed') return findings.add('pagination-removed', pair, scope, { name })
  for (const [member, { base, next }] of membersIn(pair)) {
    if (sameJson(base.value, next.value)) continue
    const change = `\`${member}\`${changeOf(base.value, next.value)}`
    findings.add('pagination-changed', { base, next }, scope, { name, change })
  }
}

/** Compares `x-rate-meaning`: what a 429 means. */
export function compareRateMeanings(findings: Findings, pair: Pair, scope: Scope): void {
  const meanings = [pair.base, pair.next].map(({ value }) =>
    arrayOf(value).map((entry) => {
      const { when: _, ...meaning } = objectOf(entry)
      return meaning
    }),
  )
  const [base = [], next = []] = meanings
  if (sameJson(base, next)) {
    if (!sameJson(pair.base.value, pair.next.value)) findings.add('text-changed', pair, scope)
    return
  }
  const kept = next.filter((entry) => base.some((other) => sameJson(entry, other)))
  const added = next.filter((entry) => !kept.includes(entry))
  if (!sameJson(kept, base)) return findings.add('rate-meaning-changed', pair, scope)
  const values = listed(added.map(({ meaning }) => `\`${String(meaning)}\``))
  findings.add('rate-meaning-added', pair, scope, { values })
}
