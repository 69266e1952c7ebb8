import type { Operation, SecurityScheme, Spec } from '@concord/spec-model'
import { cookiesOf, type Finding, finding, headerValues, type RecordedRequest } from '../http/exchange.ts'
import { decode, rawPairs } from './parameters.ts'

/** The client's secrets, by the name of the security scheme. @public */
export type Credentials = { readonly [scheme: string]: string }

/**
 * Returns the header that carries a credential, or undefined if no header does. The secret of a `basic` scheme is
 * `user:password`, either as plain text or already encoded as Base64.
 */
export function credentialHeader(
  scheme: SecurityScheme,
  secret: string,
): readonly [string, string] | undefined {
  if (scheme.type === 'apiKey' && scheme.in === 'header') return [scheme.name, secret]
  if (scheme.type === 'apiKey' && scheme.in === 'cookie') return ['cookie', `${scheme.name}=${secret}`]
  if (scheme.type !== 'http') return undefined
  if (/^basic$/i.test(scheme.scheme) && secret.includes(':'))
    return ['authorization', `Basic ${Buffer.from(secret).toString('base64')}`]
  const spelled = scheme.scheme.charAt(0).toUpperCase() + scheme.scheme.slice(1)
  return ['authorization', `${spelled} ${secret}`]
}

/**
 * Checks the credentials in a request. The request must carry exactly the credentials of one documented alternative,
 * and no secrets anywhere else. If credentials are optional, a client that has them must send them.
 *
 * If `credentials` is omitted (as in proxy mode), only the presence of credentials is checked.
 */
export function judgeSecurity(
  spec: Pick<Spec, 'securitySchemes'>,
  operation: Pick<Operation, 'security'>,
  request: RecordedRequest,
  credentials?: Credentials,
): readonly Finding[] {
  const findings: Finding[] = []
  const found = Object.keys(spec.securitySchemes).filter((name) =>
    isSent(spec.securitySchemes[name], request),
  )
  // If the `Authorization` header has an HTTP scheme, such as `Bearer`, it doesn't count as an API key.
  const hasScheme = found.some((name) => spec.securitySchemes[name]?.type === 'http')
  const sent = found.filter((name) => !hasScheme || !isAuthorizationKey(spec.securitySchemes[name]))
  const alternatives = alternativesFor(operation, credentials)
  // If two schemes use the same header (for example, both are Bearer), `sent` contains both, even if an alternative
  // lists only one of them. So the places of the credentials are compared, not the names of the schemes.
  const places = placesOf(spec, sent)
  const fitting = alternatives.filter(
    (schemes) => schemes.every((name) => sent.includes(name)) && placesOf(spec, schemes) === places,
  )
  const used =
    fitting.find(
      (schemes) => credentials && schemes.every((name) => isGiven(spec, name, request, credentials)),
    ) ?? fitting[0]
  if (!used) {
    const shown = (schemes: readonly string[]) => schemes.join(' and ') || 'no credential'
    const message = `expected ${alternatives.map(shown).join(', or ')}; got ${shown(sent)}`
    findings.push(finding('security', 'request.headers', message))
  }
  if (credentials) findings.push(...judgeSecrets(spec, used ?? [], request, credentials))
  return findings
}

/** Returns the places where the schemes' credentials are sent, as a string that can be compared. */
function placesOf(spec: Pick<Spec, 'securitySchemes'>, names: readonly string[]): string {
  const places = names.map((name) => {
    const scheme = spec.securitySchemes[name]
    if (scheme?.type === 'apiKey') return `${scheme.in} ${scheme.name}`
    return scheme?.type === 'http' ? `authorization ${scheme.scheme.toLowerCase()}` : 'unknown'
  })
  return [...new Set(places)].sort().join(', ')
}

function isGiven(
  spec: Pick<Spec, 'securitySchemes'>,
  name: string,
  request: RecordedRequest,
  credentials: Credentials,
): boolean {
  const [scheme, secret] = [spec.securitySchemes[name], credentials[name]]
  return scheme !== undefined && secret !== undefined && isSentOnce(scheme, secret, request)
}

/** Returns one list for each test: the schemes for which the client has secrets in that test. */
export function testedSchemes(
  { securitySchemes }: Pick<Spec, 'securitySchemes'>,
  { security }: Pick<Operation, 'security'>,
): readonly (readonly string[])[] {
  const all = Object.keys(securitySchemes)
  return security.length > 1 ? [all, ...security] : [all]
}

/**
 * Returns the documented alternatives. Leaves out the alternative that requires no credentials if the client has all
 * credentials for another alternative.
 */
function alternativesFor(
  { security }: Pick<Operation, 'security'>,
  credentials: Credentials = {},
): readonly (readonly string[])[] {
  if (security.length === 0) return [[]]
  const hasOne = (schemesFor({ security }, credentials).schemes ?? []).length > 0
  return hasOne ? security.filter((schemes) => schemes.length > 0) : security
}

/** Returns the first alternative for which the client has all credentials, and whether credentials may be left out. */
export function schemesFor(
  { security }: Pick<Operation, 'security'>,
  credentials: Credentials,
): { readonly schemes: readonly string[] | undefined; readonly isPublic: boolean } {
  const secured = security.filter((schemes) => schemes.length > 0)
  const isPublic = secured.length < security.length || secured.length === 0
  const given = secured.find((schemes) => schemes.every((name) => credentials[name] !== undefined))
  return { schemes: given ?? (isPublic ? [] : undefined), isPublic }
}

function isAuthorizationKey(scheme: SecurityScheme | undefined): boolean {
  return scheme?.type === 'apiKey' && scheme.in === 'header' && /^authorization$/i.test(scheme.name)
}

function isSent(scheme: SecurityScheme | undefined, request: RecordedRequest): boolean {
  if (scheme?.type === 'apiKey') {
    if (scheme.in === 'header') return headerValues(request.headers, scheme.name).length > 0
    if (scheme.in === 'query') return rawPairs(request.target).some(([name]) => name === scheme.name)
    return cookiesOf(request.headers).some(([name]) => name === scheme.name)
  }
  if (scheme?.type !== 'http') return false
  return headerValues(request.headers, 'authorization').some((value) =>
    value.toLowerCase().startsWith(`${scheme.scheme.toLowerCase()} `),
  )
}

function judgeSecrets(
  spec: Pick<Spec, 'securitySchemes'>,
  used: readonly string[],
  request: RecordedRequest,
  credentials: Credentials,
): readonly Finding[] {
  const findings: Finding[] = []
  const allowed = new Set<string>()
  const keys = new Set<string>()
  for (const name of used) {
    const scheme = spec.securitySchemes[name]
    const secret = credentials[name]
    if (!scheme || secret === undefined) continue
    const inQuery = scheme.type === 'apiKey' && scheme.in === 'query'
    const line = credentialHeader(scheme, secret)
    if (inQuery) keys.add(scheme.name)
    else if (line) allowed.add(line[0].toLowerCase())
    else continue
    if (isSentOnce(scheme, secret, request)) continue
    findings.push({
      code: 'security',
      at: inQuery ? `request.query.${scheme.name}` : `request.headers.${line?.[0]}`,
      message: `the credential of the security scheme \`${name}\` must be sent exactly once, and unchanged`,
    })
  }
  const target = withoutPairs(request.target, keys)
  const body = Buffer.from(request.body).toString('latin1')
  for (const [name, secret] of Object.entries(credentials)) {
    const places = [
      ...(decode(target).includes(secret) ? ['request.path'] : []),
      ...(body.includes(secret) ? ['request.body'] : []),
      ...request.headers.flatMap(([header, value]) =>
        value.includes(secret) && !allowed.has(header.toLowerCase()) ? [`request.headers.${header}`] : [],
      ),
    ]
    for (const at of places) {
      findings.push(
        finding('secret-leak', at, `must not contain the credential of the security scheme \`${name}\``),
      )
    }
  }
  return findings
}

/** Returns whether a secret was sent in its documented place, unchanged and only once. */
function isSentOnce(scheme: SecurityScheme, secret: string, request: RecordedRequest): boolean {
  if (scheme.type === 'apiKey' && scheme.in !== 'header') {
    const pairs: readonly (readonly [string, string])[] =
      scheme.in === 'query'
        ? rawPairs(request.target).map(([name, value]) => [name, decode(value)])
        : cookiesOf(request.headers)
    const values = pairs.filter(([name]) => name === scheme.name)
    return values.length === 1 && values[0]?.[1] === secret
  }
  const [name, value] = credentialHeader(scheme, secret) ?? ['', '']
  const values = headerValues(request.headers, name)
  const [sent = ''] = values
  if (values.length !== 1 || scheme.type !== 'http') return values.length === 1 && sent === value
  // The names of authentication schemes are case-insensitive, but secrets are case-sensitive.
  const end = value.indexOf(' ')
  return (
    sent.slice(0, end).toLowerCase() === value.slice(0, end).toLowerCase() &&
    sent.slice(end) === value.slice(end)
  )
}

/** Copies a request without the query parameters that hold credentials, since these aren't part of a call's input. */
export function withoutKeys<Request extends { readonly target: string }>(
  { securitySchemes }: Pick<Spec, 'securitySchemes'>,
  request: Request,
): Request {
  const keys = Object.values(securitySchemes).flatMap((scheme) =>
    scheme.type === 'apiKey' && scheme.in === 'query' ? [scheme.name] : [],
  )
  return keys.length === 0 ? request : { ...request, target: withoutPairs(request.target, new Set(keys)) }
}

function withoutPairs(target: string, names: ReadonlySet<string>): string {
  const [path = '', ...query] = target.split('?')
  const others = query
    .join('?')
    .split('&')
    .filter((pair) => !names.has(decode(pair.split('=', 1)[0] ?? '')))
  return others.join('&') === '' ? path : `${path}?${others.join('&')}`
}

export function freshSecrets(
  { securitySchemes }: Pick<Spec, 'securitySchemes'>,
  schemes: readonly string[],
  call: string,
): Credentials {
  return Object.fromEntries(
    schemes.map((name, at) => {
      const scheme = securitySchemes[name]
      const isBasic = scheme?.type === 'http' && /^basic$/i.test(scheme.scheme)
      return [name, `${isBasic ? 'user:' : ''}secret-${at}-of-${call}-7f3a9c`]
    }),
  )
}
