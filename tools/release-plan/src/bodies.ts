import { arrayOf, objectOf, sameJson } from '@concord/spec-model'

import { type At, child, followed, keysOf } from './document.ts'
import { type Findings, listed, type Pair, type Scope } from './findings.ts'
import { compareSchemaMember } from './parameters.ts'
import type { Kind } from './rules/index.ts'
import type { SchemaComparison } from './schema.ts'
import { compareRest, membersIn, membersOf, presence, withoutText } from './text.ts'
import { compareRateMeanings } from './words.ts'

/** Compares request bodies. */
export function compareBody(comparison: SchemaComparison, entry: Pair, scope: Scope): void {
  const { findings } = comparison
  const pair = { base: followed(entry.base), next: followed(entry.next) }
  const required = (side: 'base' | 'next'): boolean => child(pair[side], 'required').value === true
  const there = presence(pair)
  if (there === 'added') findings.add(required('next') ? 'body-added-required' : 'body-added', pair, scope)
  else if (there === 'removed') findings.add('body-removed', pair, scope)
  if (there !== 'both') return
  if (required('base') !== required('next'))
    findings.add(required('next') ? 'body-required' : 'body-optional', pair, scope)
  compareContent(comparison, membersOf(pair, 'content'), scope)
  compareRest(findings, pair, scope, new Set(['$ref', 'content', 'required']))
}

function compareContent(comparison: SchemaComparison, content: Pair, scope: Scope): void {
  const { findings } = comparison
  for (const [name, media] of membersIn(content)) {
    const there = presence(media)
    if (there !== 'both')
      findings.add(there === 'added' ? 'media-added' : 'media-removed', media, scope, { name })
    else {
      compareSchemaMember(comparison, media, scope)
      compareParts(findings, membersOf(media, 'encoding'), scope)
      compareRest(findings, media, scope, new Set(['encoding', 'schema']))
    }
  }
}

/** Compares the content types that the parts of a form may have. */
function compareParts(findings: Findings, encoding: Pair, scope: Scope): void {
  for (const [name, part] of membersIn(encoding)) {
    const types = membersOf(part, 'contentType')
    const list = ({ value }: { readonly value: unknown }): string[] =>
      String(value ?? '*/*')
        .split(',')
        .map((type) => type.trim())
    const base = list(types.base)
    const next = list(types.next)
    const added = next.filter((type) => !base.includes(type))
    const removed = base.filter((type) => !next.includes(type))
    const named = (values: readonly string[]) => ({
      name,
      values: listed(values.map((type) => `\`${type}\``)),
    })
    if (added.length > 0) findings.add('part-types-added', types, scope, named(added))
    if (removed.length > 0) findings.add('part-types-removed', types, scope, named(removed))
    compareRest(findings, part, scope, new Set(['contentType']))
  }
}

export function compareResponses(comparison: SchemaComparison, responses: Pair, scope: Scope): void {
  const { findings } = comparison
  const open = keysOf(responses.base)
    .filter(isSuccess)
    .map((status) => followed(child(responses.base, status)))
    .filter(({ value }) => isOpen(objectOf(value)))
  // A successful call of the client returns a 2xx response, or `default` if the operation documents no 2xx response.
  const isRead = (status: string): boolean =>
    isSuccess(status) || (status === 'default' && !keysOf(responses.next).some(isSuccess))
  // On a 2xx response, `x-not-shown` means that the service can send the response's body with any 2xx status. If the
  // contract adds a 2xx response with the same body, this response was already allowed.
  const wasAllowed = (response: At): boolean => open.some((one) => sameJson(bodyOf(one), bodyOf(response)))
  for (const [status, entry] of membersIn(responses)) {
    const pair = { base: followed(entry.base), next: followed(entry.next) }
    const there = presence(pair)
    const outcome = isSuccess(status) ? 'success' : 'error'
    const name = status === 'default' ? 'for every other status' : status
    if (there === 'added' && isSuccess(status) && wasAllowed(pair.next))
      findings.add('success-added-open', entry, scope, { name })
    else if (there === 'added') findings.add(`${outcome}-added`, entry, scope, { name })
    else if (there === 'removed') findings.add(`${outcome}-removed`, entry, scope, { name })
    else compareResponse(comparison, pair, scope, { status, isRead: isRead(status) })
  }
}

function compareResponse(
  comparison: SchemaComparison,
  pair: Pair,
  scope: Scope,
  { status, isRead }: { readonly status: string; readonly isRead: boolean },
): void {
  const { findings } = comparison
  if (isSuccess(status)) compareOpenness(findings, pair, scope, status)
  const shared = /^\/components\/responses\/([^/]+)$/.exec(pair.next.pointer)?.[1]
  const home = `the ${scope.role} ${shared ? `\`${shared}\`` : `${status} of ${scope.home}`}`
  const own = { ...scope, home }
  const content = membersOf(pair, 'content')
  const [before, after] = [content.base, content.next].map((at) => keysOf(at).length > 0)
  if (before && after) compareContent(comparison, content, own)
  else if (before !== after) findings.add(after ? bodyAdded(scope, status) : 'body-removed', content, own)
  compareHeaders(comparison, membersOf(pair, 'headers'), {
    ...own,
    role: scope.role === 'response' ? (isRead ? 'response header' : 'error header') : scope.role,
  })
  if (status === '429') compareRateMeanings(findings, membersOf(pair, 'x-rate-meaning'), scope)
  const handled = ['$ref', 'content', 'headers', ...(status === '429' ? ['x-rate-meaning'] : [])]
  compareRest(findings, pair, own, new Set([...handled, ...(isSuccess(status) ? ['x-not-shown'] : [])]))
}

/**
 * Returns the kind of change for a newly documented response body. A receiver of webhooks must send this body. A
 * service, however, may have sent an error's body before the contract documented it.
 */
function bodyAdded({ role }: Scope, status: string): Kind {
  if (role === 'webhook response') return 'body-added-required'
  return isSuccess(status) ? 'body-added' : 'error-body-added'
}

/** Compares `x-not-shown`: whether a response can have any success status, and whether it can lack the body. */
function compareOpenness(findings: Findings, pair: Pair, scope: Scope, name: string): void {
  const base = objectOf(pair.base.value)
  const next = objectOf(pair.next.value)
  const mark = membersOf(pair, 'x-not-shown')
  if (isOpen(base) !== isOpen(next))
    findings.add(isOpen(next) ? 'status-opened' : 'status-settled', mark, scope, { name })
  if (isBodyOpen(base) !== isBodyOpen(next))
    findings.add(isBodyOpen(next) ? 'response-opened' : 'response-settled', mark, scope, { name })
  if (
    isOpen(base) === isOpen(next) &&
    isBodyOpen(base) === isBodyOpen(next) &&
    !sameJson(mark.base.value, mark.next.value)
  )
    findings.add('text-changed', mark, scope)
}

function compareHeaders(comparison: SchemaComparison, headers: Pair, scope: Scope): void {
  const { findings } = comparison
  for (const [name, entry] of membersIn(headers)) {
    const pair = { base: followed(entry.base), next: followed(entry.next) }
    const required = (side: 'base' | 'next'): boolean => child(pair[side], 'required').value === true
    const there = presence(pair)
    if (there === 'added') findings.add('header-added', entry, scope, { name })
    else if (there === 'removed')
      findings.add(required('base') ? 'header-removed-required' : 'header-removed', entry, scope, { name })
    else {
      if (required('base') !== required('next'))
        findings.add(required('next') ? 'header-required' : 'header-optional', pair, scope, { name })
      const inner = { ...scope, home: `the ${scope.role} \`${name}\` of ${scope.home}` }
      compareSchemaMember(comparison, pair, inner)
      compareRest(findings, pair, inner, new Set(['$ref', 'required', 'schema']))
    }
  }
}

function bodyOf(response: At): unknown {
  return withoutText(child(response, 'content').value)
}

function isSuccess(status: string): boolean {
  return status.startsWith('2')
}

function isOpen(response: { readonly [name: string]: unknown }): boolean {
  return 'x-not-shown' in response
}

function isBodyOpen(response: { readonly [name: string]: unknown }): boolean {
  return arrayOf(response['x-not-shown']).some((one) => String(one).startsWith('The body'))
}
