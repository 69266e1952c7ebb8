import type { SecurityScheme } from '@concord/spec-model'

import type { Finding, HeaderLine } from '../http/exchange.ts'
import { decode, rawPairs } from '../oracle/parameters.ts'
import { removed } from './har.ts'

/** Headers that may carry credentials. Their secrets are always removed, whatever the contract says. */
export const CREDENTIAL_HEADERS: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'sec-websocket-protocol',
]

/**
 * A secret with fewer characters than this is removed only from its own header, parameter or member. Anywhere else,
 * the same short string can mean something different.
 */
export const LEAST_CHARACTERS = 8

/** Returns the names, in lower case, under which the contract's API keys are sent in the given place. */
export function keyNames(
  schemes: Readonly<Record<string, SecurityScheme>>,
  place: 'header' | 'query' | 'cookie',
): readonly string[] {
  return Object.values(schemes).flatMap((one) =>
    one.type === 'apiKey' && one.in === place ? [one.name.toLowerCase()] : [],
  )
}

/** Returns the secrets in a header's value, such as a token, a password, or the values of cookies. */
export function secretsIn(header: string, value: string): readonly string[] {
  if (header === 'cookie' || header === 'set-cookie') {
    const pairs = header === 'cookie' ? value.split(';') : [value.split(';')[0] ?? '']
    return pairs.map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
  }
  if (header === 'sec-websocket-protocol') return value.split(',').map((one) => one.trim())
  // `Bearer TOKEN`: only the token is secret.
  const [, scheme = '', token = value] = /^([A-Za-z]+) (.*)$/s.exec(value) ?? []
  if (!/^basic$/i.test(scheme)) return [token]
  const pair = Buffer.from(token, 'base64').toString('utf8')
  return [token, pair, pair.slice(pair.indexOf(':') + 1)]
}

/** Returns the credentials in a request, also those that the contract doesn't mention. Leaves out short ones. */
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

/** Returns a function that removes secrets from a string, also in encoded forms such as Base64. */
export function hiderOf(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret.length > 0)
    .flatMap((secret) => {
      const bytes = Buffer.from(secret)
      const quoted = JSON.stringify(secret).slice(1, -1)
      const [base64, base64url] = [bytes.toString('base64'), bytes.toString('base64url')]
      return [secret, encodeURIComponent(secret), quoted, base64, base64.replace(/=+$/, ''), base64url]
    })
    // The longest secret is removed first, because one secret can contain another.
    .toSorted((one, other) => other.length - one.length)
  return (text) => forms.reduce((kept, form) => kept.replaceAll(form, removed), text)
}

/** Removes secrets from findings. A finding may quote a response that repeats a secret. */
export function withoutSecrets(
  findings: readonly Finding[],
  hideSecrets: (text: string) => string,
): readonly Finding[] {
  return findings.map((one) => ({ ...one, at: hideSecrets(one.at), message: hideSecrets(one.message) }))
}
