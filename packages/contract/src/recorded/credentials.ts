import type { SecurityScheme } from '@concord/spec-model'

import type { Finding, HeaderLine } from '../http/exchange.ts'
import { decode, rawPairs } from '../oracle/parameters.ts'
import { removed } from './har.ts'

/** Headers that are credentials in any contract. */
export const CREDENTIAL_HEADERS: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'sec-websocket-protocol',
]

/** Shorter values would be found where they mean something else. */
export const LEAST_CHARACTERS = 8

/** The names of the API keys in a place, in lower case. */
export function keyNames(
  schemes: Readonly<Record<string, SecurityScheme>>,
  place: 'header' | 'query' | 'cookie',
): readonly string[] {
  return Object.values(schemes).flatMap((one) =>
    one.type === 'apiKey' && one.in === place ? [one.name.toLowerCase()] : [],
  )
}

/** The secrets in the value of a header: a token, a password, the value of each cookie. */
export function secretsIn(header: string, value: string): readonly string[] {
  if (header === 'cookie' || header === 'set-cookie') {
    const pairs = header === 'cookie' ? value.split(';') : [value.split(';')[0] ?? '']
    return pairs.map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
  }
  if (header === 'sec-websocket-protocol') return value.split(',').map((one) => one.trim())
  // `Bearer TOKEN`: the token alone is the secret.
  const [, scheme = '', token = value] = /^([A-Za-z]+) (.*)$/s.exec(value) ?? []
  if (!/^basic$/i.test(scheme)) return [token]
  const pair = Buffer.from(token, 'base64').toString('utf8')
  return [token, pair, pair.slice(pair.indexOf(':') + 1)]
}

/** The credentials that a request carries, by the schemes of a contract and by what every service uses. */
export function credentialsOf(
  schemes: Readonly<Record<string, SecurityScheme>>,
  { target, headers }: { readonly target: string; readonly headers: readonly HeaderLine[] },
): readonly string[] {
  const names = new Set([...CREDENTIAL_HEADERS, ...keyNames(schemes, 'header')])
  const queries = new Set([...keyNames(schemes, 'query'), 'access_token'])
  const found = [
    ...headers.flatMap(([name, value]) =>
      names.has(name.toLowerCase()) ? secretsIn(name.toLowerCase(), value) : [],
    ),
    ...rawPairs(target).flatMap(([name, value]) => (queries.has(name.toLowerCase()) ? [decode(value)] : [])),
  ]
  return found.filter((one) => one.length >= LEAST_CHARACTERS)
}

/** Makes a function that removes secrets from text, also where a service wrote them in another form. */
export function hiderOf(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret.length > 0)
    .flatMap((secret) => {
      const bytes = Buffer.from(secret)
      const quoted = JSON.stringify(secret).slice(1, -1)
      const [base64, base64url] = [bytes.toString('base64'), bytes.toString('base64url')]
      return [secret, encodeURIComponent(secret), quoted, base64, base64.replace(/=+$/, ''), base64url]
    })
    // One that contains another must not leave its rest.
    .toSorted((one, other) => other.length - one.length)
  return (text) => forms.reduce((kept, form) => kept.replaceAll(form, removed), text)
}

/** Findings without the secrets of an exchange: a service may repeat them in a media type, a name or a reason. */
export function withoutSecrets(
  findings: readonly Finding[],
  without: (text: string) => string,
): readonly Finding[] {
  return findings.map((one) => ({ ...one, at: without(one.at), message: without(one.message) }))
}
