import { arrayOf, objectOf, sameJson } from '@concord/spec-model'

import { compareBody, compareResponses } from './bodies.ts'
import { type At, child, followed, keysOf, textOf } from './document.ts'
import type { Pair, Scope } from './findings.ts'
import { compareFlags } from './marks.ts'
import { matched, type Matching } from './matching.ts'
import { compareParameters, sharedPath } from './parameters.ts'
import type { SchemaComparison } from './schema.ts'
import { compareScopes, compareSecurity, compareServers } from './security.ts'
import { compareRest, membersOf, onlyBase, onlyNext } from './text.ts'
import { compareOutcome, comparePagination, compareRetry, compareWaiter } from './words.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

interface Operation {
  readonly id: string
  readonly at: At
  readonly item: At
  readonly root: At
  readonly method: string
  readonly path: string
}

/** Members of an operation that have their own comparison. */
const HANDLED: ReadonlySet<string> = new Set([
  'deprecated',
  'operationId',
  'parameters',
  'requestBody',
  'responses',
  'security',
  'servers',
  'x-outcome',
  'x-pagination',
  'x-retry',
  'x-waiter',
])

const ITEM_HANDLED: ReadonlySet<string> = new Set([...METHODS, 'parameters', 'servers'])

export function compareHttp(comparison: SchemaComparison, roots: Pair): void {
  compareOperations(comparison, roots)
  compareWebhooks(comparison, roots)
}

function compareOperations(comparison: SchemaComparison, roots: Pair): void {
  const { findings } = comparison
  const { pairs, removed, added } = matchedOperations(roots, 'paths')
  for (const { base: old, next: now } of pairs) {
    const pair = { base: old.at, next: now.at }
    const scope = scopeOf('request', now)
    if (old.id !== now.id) findings.add('operation-renamed', pair, scope, { from: old.id, name: now.id })
    if (addressOf(old) !== addressOf(now))
      findings.add('operation-moved', pair, scope, { name: now.id, from: callOf(old), to: callOf(now) })
    compareOperation(comparison, old, now)
  }
  for (const now of added) {
    const details = { name: now.id, to: callOf(now) }
    findings.add('operation-added', onlyNext(roots, now.at), scopeOf('request', now), details)
  }
  for (const old of removed) {
    const details = { name: old.id, from: callOf(old) }
    findings.add('operation-removed', onlyBase(roots, old.at), scopeOf('request', old), details)
  }
}

function compareOperation(comparison: SchemaComparison, old: Operation, now: Operation): void {
  const { findings } = comparison
  const pair = { base: old.at, next: now.at }
  const scope = scopeOf('request', now)
  const roots = { base: old.root, next: now.root }
  compareParameters(comparison, { base: [old.item, old.at], next: [now.item, now.at] }, scope, {
    base: old.path,
    next: now.path,
  })
  compareBody(comparison, membersOf(pair, 'requestBody'), scope)
  compareResponses(comparison, membersOf(pair, 'responses'), { ...scope, role: 'response' })
  const security = effective(pair, roots, 'security')
  compareSecurity(findings, security, scope)
  compareScopes(findings, security, scope)
  const items = { base: old.item, next: now.item }
  compareServers(findings, effective(pair, items, 'servers', roots), scope)
  compareRetry(findings, membersOf(pair, 'x-retry'), scope)
  compareOutcome(findings, pair, scope)
  compareWaiter(findings, membersOf(pair, 'x-waiter'), scope)
  comparePagination(findings, membersOf(pair, 'x-pagination'), scope)
  compareFlags(findings, pair, scope)
  compareRest(findings, pair, scope, HANDLED)
  compareRest(findings, items, scope, ITEM_HANDLED)
}

function compareWebhooks(comparison: SchemaComparison, roots: Pair): void {
  const { findings } = comparison
  const { pairs, removed, added } = matchedOperations(roots, 'webhooks')
  for (const { base: old, next: now } of pairs) {
    const pair = { base: old.at, next: now.at }
    const scope = scopeOf('webhook', now)
    if (old.path !== now.path)
      findings.add('webhook-renamed', pair, scope, { from: old.path, name: now.path })
    if (old.method !== now.method) findings.add('unknown', pair, scope, { name: 'method' })
    compareParameters(comparison, { base: [old.item, old.at], next: [now.item, now.at] }, scope)
    compareBody(comparison, membersOf(pair, 'requestBody'), scope)
    compareResponses(comparison, membersOf(pair, 'responses'), { ...scope, role: 'webhook response' })
    compareRest(findings, pair, scope, new Set(['operationId', 'parameters', 'requestBody', 'responses']))
    const items = { base: old.item, next: now.item }
    compareServers(findings, membersOf(items, 'servers'), scope)
    compareRest(findings, items, scope, ITEM_HANDLED)
  }
  for (const now of added)
    findings.add('webhook-added', onlyNext(roots, now.at), scopeOf('webhook', now), { name: now.path })
  for (const old of removed)
    findings.add('webhook-removed', onlyBase(roots, old.at), scopeOf('webhook', old), { name: old.path })
}

/** Returns the operations under `paths` or `webhooks`. The key of a webhook counts as its path. */
function operationsOf(root: At, section: 'paths' | 'webhooks'): Operation[] {
  const items = child(root, section)
  return keysOf(items).flatMap((path) => {
    const item = followed(child(items, path))
    return METHODS.filter((method) => method in objectOf(item.value)).map((method): Operation => {
      const at = child(item, method)
      const id = section === 'paths' ? textOf(child(at, 'operationId')) : undefined
      return { id: id ?? path, at, item, root, method, path }
    })
  })
}

/**
 * Matches operations by URL, then by id. A webhook has no URL, so its name is used instead. A webhook with a new name
 * matches if nothing else about it changed.
 */
function matchedOperations(roots: Pair, section: 'paths' | 'webhooks'): Matching<Operation> {
  return matched(
    operationsOf(roots.base, section),
    operationsOf(roots.next, section),
    (one, other) => addressOf(one) === addressOf(other),
    (one, other) => one.id === other.id,
    (one, other) => sameJson(one.at.value, other.at.value),
  )
}

function addressOf({ method, path }: Operation): string {
  return `${method} ${sharedPath(path)}`
}

function callOf({ method, path }: Operation): string {
  return `\`${method.toUpperCase()} ${path}\``
}

function scopeOf(role: Scope['role'], { id }: Operation): Scope {
  return { role, user: id, home: `\`${id}\``, path: '' }
}

/** Returns the `security` or `servers` that apply to an operation. */
function effective(own: Pair, above: Pair, name: string, last: Pair = above): Pair {
  const nearest = (side: 'base' | 'next'): At => {
    const found = [own, above, last].map((pair) => child(pair[side], name))
    return (
      found.find(({ value }) => arrayOf(value).length > 0 || Array.isArray(value)) ?? child(last[side], name)
    )
  }
  return { base: nearest('base'), next: nearest('next') }
}
