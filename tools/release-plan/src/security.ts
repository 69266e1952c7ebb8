import { arrayOf, type JsonObject, objectOf, sameJson } from '@concord/spec-model'

import { type At, child, keysOf } from './document.ts'
import { type Findings, listed, type Pair, type Scope } from './findings.ts'
import { compareRest, membersOf, presence, withoutText } from './text.ts'

/**
 * Compares the alternative ways to authorize a call or a handshake. An empty alternative makes the credential optional.
 * A credential that is sent but no longer required does no harm.
 */
export function compareSecurity(
  findings: Findings,
  pair: Pair,
  scope: Scope,
  ways: (at: At) => readonly string[] = waysOf,
): void {
  const base = ways(pair.base)
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

/** Compares the scopes that an operation requires for each alternative. */
export function compareScopes(findings: Findings, pair: Pair, scope: Scope): void {
  const base = scopesOf(pair.base)
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

/**
 * Returns the scopes of each credential in each alternative. Of alternatives with the same credentials, only the first
 * counts.
 */
function scopesOf({ value }: At): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const way of arrayOf(value))
    for (const [name, scopes] of Object.entries(objectOf(way))) {
      const key = `\`${name}\``
      if (!found.has(key)) found.set(key, arrayOf(scopes).map(String))
    }
  return found
}

function waysOf({ value }: At): string[] {
  return arrayOf(value).map((way) =>
    Object.keys(objectOf(way))
      .sort()
      .map((name) => `\`${name}\``)
      .join(' with '),
  )
}

/** Compares how credentials are sent. */
export function compareSchemes(findings: Findings, roots: Pair, scope: Scope): void {
  const schemes = membersOf(roots, 'components', 'securitySchemes')
  for (const name of keysOf(schemes.base)) {
    const scheme = membersOf(schemes, name)
    if (presence(scheme) === 'removed') findings.add('unknown', scheme, scope, { name })
    if (presence(scheme) !== 'both') continue
    const plain = (at: At): unknown => ({
      ...objectOf(withoutText(at.value)),
      bearerFormat: '',
      name: child(at, 'name').value,
    })
    if (!sameJson(plain(scheme.base), plain(scheme.next)))
      findings.add('scheme-changed', scheme, scope, { name })
    compareRest(
      findings,
      scheme,
      { ...scope, home: `the credential \`${name}\`` },
      new Set(['bearerFormat', 'flows', 'in', 'name', 'openIdConnectUrl', 'scheme', 'type']),
    )
  }
}

/** Compares the servers of a call, without their descriptions. */
export function compareServers(findings: Findings, pair: Pair, scope: Scope): void {
  if (sameJson(pair.base.value, pair.next.value)) return
  if (sameJson(withoutText(pair.base.value), withoutText(pair.next.value)))
    findings.add('text-changed', pair, scope)
  else compareAddresses(findings, pair, scope)
}

/** Compares the URLs of servers. Programs call the first one unless they choose another. */
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

/** Returns the servers in a list; if it is empty, the URL of the document. */
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

/** Returns the default and the allowed values of a variable of a server. */
function variableText({ default: value, enum: values }: JsonObject): string {
  const allowed = values === undefined ? '' : `, one of ${arrayOf(values).map(String).join(' or ')}`
  return `${String(value)}${allowed}`
}
