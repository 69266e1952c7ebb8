import { arrayOf, objectOf, sameJson } from '@concord/spec-model'

import { type At, child, keysOf } from './document.ts'
import type { Findings, Pair, Scope } from './findings.ts'
import { compareRest, membersOf, presence, withoutText } from './text.ts'

/** Compares the ways in which a call or a handshake can be secured. An empty way makes the credential optional. */
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
  for (const name of base.filter((way) => way !== '' && !next.includes(way)))
    findings.add('credential-removed', pair, scope, { name })
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

/** Compares the servers of a call, without what is written about them. */
export function compareServers(findings: Findings, pair: Pair, scope: Scope): void {
  if (sameJson(pair.base.value, pair.next.value)) return
  if (sameJson(withoutText(pair.base.value), withoutText(pair.next.value)))
    findings.add('text-changed', pair, scope)
  else findings.add('server-changed', pair, scope, { from: addressOf(pair.base), to: addressOf(pair.next) })
}

function addressOf({ value }: At): string {
  const first = objectOf(arrayOf(value)[0])
  const variables = Object.entries(objectOf(first['variables'])).map(
    ([name, variable]) => `${name}: ${String(objectOf(variable)['default'])}`,
  )
  return `\`${String(first['url'] ?? '/')}\`${variables.length > 0 ? ` (${variables.join(', ')})` : ''}`
}
