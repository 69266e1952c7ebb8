import { arrayOf, type JsonObject, objectOf, sameJson } from '@concord/spec-model'

import { type At, child, keysOf } from './document.ts'
import { type Findings, listed, type Pair, type Scope } from './findings.ts'
import { compareRest, membersOf, presence, withoutText } from './text.ts'

/** The new names of renamed credentials, by old name. */
type Renamed = ReadonlyMap<string, string>

/**
 * Returns the alternative ways to authorize. `at` is the place in the contract that lists them. A renamed
 * credential appears under its new name.
 */
export type Ways = (at: At, renamed?: Renamed) => readonly string[]

/**
 * Compares the alternative ways to authorize a call or a handshake. An empty alternative makes the credential optional.
 * If a call required a credential and no longer lists any, only `credential-optional` is reported, since clients can
 * still send the old credential without harm.
 */
export function compareSecurity(findings: Findings, pair: Pair, scope: Scope, ways: Ways = waysOf): void {
  const renamed = renamedSchemes(pair)
  const base = ways(pair.base, renamed)
  const next = ways(pair.next)
  const open = (list: readonly string[]): boolean => list.length === 0 || list.includes('')
  if (open(base) && !open(next)) findings.add('credential-required', pair, scope)
  if (!open(base) && open(next)) findings.add('credential-optional', pair, scope)
  for (const name of next.filter((way) => way !== '' && !base.includes(way)))
    if (!(open(base) && !open(next) && base.every((way) => way === '')))
      findings.add('credential-added', pair, scope, { name })
  const isPublic = !open(base) && next.every((way) => way === '')
  for (const name of base.filter((way) => way !== '' && !isPublic && !next.includes(way)))
    findings.add('credential-removed', pair, scope, { name })
}

/** Compares the authorization scopes that each credential needs for an operation. */
export function compareScopes(findings: Findings, pair: Pair, scope: Scope): void {
  const base = scopesOf(pair.base, renamedSchemes(pair))
  for (const [name, next] of scopesOf(pair.next)) {
    const known = base.get(name)
    if (!known) continue
    const added = next.filter((one) => !known.includes(one))
    const removed = known.filter((one) => !next.includes(one))
    const values = (list: readonly string[]): string => listed(list.map((one) => `\`${one}\``))
    if (added.length > 0) findings.add('scopes-added', pair, scope, { name, values: values(added) })
    if (removed.length > 0) findings.add('scopes-removed', pair, scope, { name, values: values(removed) })
  }
}

/** Returns the scopes of each credential. If several alternatives contain a credential, only the first one counts. */
function scopesOf({ value }: At, renamed?: Renamed): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const way of arrayOf(value))
    for (const [name, scopes] of Object.entries(objectOf(way))) {
      const key = `\`${renamed?.get(name) ?? name}\``
      if (!found.has(key)) found.set(key, arrayOf(scopes).map(String))
    }
  return found
}

function waysOf({ value }: At, renamed?: Renamed): string[] {
  return arrayOf(value).map((way) =>
    Object.keys(objectOf(way))
      .map((name) => renamed?.get(name) ?? name)
      .sort()
      .map((name) => `\`${name}\``)
      .join(' with '),
  )
}

/** Returns the credentials that have a new name, but are sent as before. */
function renamedSchemes({ base, next }: Pair): Renamed {
  const schemes = schemesOf({ base: base.contract.root(base.file), next: next.contract.root(next.file) })
  const [removed, added] = [
    keysOf(schemes.base).filter((name) => !keysOf(schemes.next).includes(name)),
    keysOf(schemes.next).filter((name) => !keysOf(schemes.base).includes(name)),
  ]
  const renamed = new Map<string, string>()
  for (const from of removed) {
    const same = (to: string): boolean =>
      sameJson(sentAs(child(schemes.base, from)), sentAs(child(schemes.next, to)))
    const [to, ...others] = added.filter(same)
    if (to !== undefined && others.length === 0 && ![...renamed.values()].includes(to)) renamed.set(from, to)
  }
  return renamed
}

function schemesOf(roots: Pair): Pair {
  return membersOf(roots, 'components', 'securitySchemes')
}

/** Returns how a credential is sent. `withoutText` drops `name`, but here `name` can be the name of a header. */
function sentAs(scheme: At): JsonObject {
  return { ...objectOf(withoutText(scheme.value)), bearerFormat: '', name: child(scheme, 'name').value }
}

/** Compares how credentials are sent. */
export function compareSchemes(findings: Findings, roots: Pair, scope: Scope): void {
  const schemes = schemesOf(roots)
  const renamed = renamedSchemes(roots)
  for (const name of keysOf(schemes.base)) {
    const to = renamed.get(name)
    const scheme = {
      base: child(schemes.base, name),
      next: child(schemes.next, to ?? name),
    }
    if (to !== undefined) findings.add('scheme-renamed', scheme, scope, { from: name, name: to })
    if (presence(scheme) === 'removed') findings.add('unknown', scheme, scope, { name })
    if (presence(scheme) !== 'both') continue
    if (!sameJson(sentAs(scheme.base), sentAs(scheme.next)))
      findings.add('scheme-changed', scheme, scope, { name })
    compareRest(
      findings,
      scheme,
      { ...scope, home: `the credential \`${name}\`` },
      new Set(['bearerFormat', 'flows', 'in', 'name', 'openIdConnectUrl', 'scheme', 'type']),
    )
  }
}

export function compareServers(findings: Findings, pair: Pair, scope: Scope): void {
  if (sameJson(pair.base.value, pair.next.value)) return
  if (sameJson(withoutText(pair.base.value), withoutText(pair.next.value)))
    findings.add('text-changed', pair, scope)
  else compareAddresses(findings, pair, scope)
}

/** Programs call the first server unless they choose another. */
function compareAddresses(findings: Findings, pair: Pair, scope: Scope): void {
  const base = serversOf(pair.base)
  const next = serversOf(pair.next)
  const same = (one: unknown) => (other: unknown) => sameJson(withoutText(one), withoutText(other))
  if (!same(base[0])(next[0]))
    findings.add('server-changed', pair, scope, { from: addressOf(base[0]), to: addressOf(next[0]) })
  const others = { base: base.slice(1), next: next.slice(1) }
  for (const server of others.next.filter((one) => !base.some(same(one))))
    findings.add('server-added', pair, scope, { to: addressOf(server) })
  for (const server of others.base.filter((one) => !next.some(same(one))))
    findings.add('server-removed', pair, scope, { from: addressOf(server) })
}

/** In OpenAPI, an empty list means the server `/`. */
function serversOf({ value }: At): readonly unknown[] {
  return arrayOf(value).length > 0 ? arrayOf(value) : [{ url: '/' }]
}

function addressOf(server: unknown): string {
  const first = objectOf(server)
  const variables = Object.entries(objectOf(first['variables'])).map(
    ([name, variable]) => `${name}: ${variableText(objectOf(variable))}`,
  )
  return `\`${String(first['url'] ?? '/')}\`${variables.length > 0 ? ` (${variables.join(', ')})` : ''}`
}

function variableText({ default: value, enum: values }: JsonObject): string {
  const allowed = values === undefined ? '' : `, one of ${arrayOf(values).map(String).join(' or ')}`
  return `${String(value)}${allowed}`
}
