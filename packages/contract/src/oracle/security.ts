import type { Operation, SecurityScheme, Spec } from '@concord/spec-model'
import { cookiesOf, headerValues, type Finding, type RecordedRequest } from '../http/exchange.ts'
import { decode, rawPairs } from './parameters.ts'

/** The secrets that the client was given, by the name of the security scheme. @public */
export type Credentials = { readonly [scheme: string]: string }

/**
 * The header that carries a credential, when the scheme uses one. The secret of the scheme `basic` is `user:password`, or
 * already encoded.
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
 * Checks that a secured operation carries exactly the credentials of one documented way, that a public one carries
 * none, and that no secret is anywhere else in the request. Where credentials are optional, a client that has one
 * sends it.
 *
 * Without `credentials` (at a proxy, where they are not known) only their presence is checked.
 */
export function judgeSecurity(
  spec: Pick<Spec, 'securitySchemes'>,
  operation: Pick<Operation, 'security'>,
  request: RecordedRequest,
  credentials?: Credentials,
): readonly Finding[] {
  const findings: Finding[] = []
  const sent = Object.keys(spec.securitySchemes).filter((name) => isSent(spec.securitySchemes[name], request))
  const ways = waysToAuthorize(operation, credentials)
  const used = ways.find((way) => way.length === sent.length && way.every((name) => sent.includes(name)))
  // Two schemes can share a header (Bearer and Token); the header then counts for the one that fits.
  if (!used) {
    const wanted = ways.map((way) => (way.length === 0 ? 'no credential' : way.join(' and '))).join(', or ')
    findings.push({
      code: 'security',
      at: `request.headers`,
      message: `expected ${wanted}; got ${sent.length === 0 ? 'no credential' : sent.join(' and ')}`,
    })
  }
  if (credentials) findings.push(...judgeSecrets(spec, used ?? [], request, credentials))
  return findings
}

/** The documented ways; only those with a credential if the client has one that fits. */
function waysToAuthorize(
  { security }: Pick<Operation, 'security'>,
  credentials: Credentials | undefined,
): readonly (readonly string[])[] {
  if (security.length === 0) return [[]]
  const secured = security.filter((way) => way.length > 0)
  const hasOne = secured.some((way) => way.every((name) => credentials?.[name] !== undefined))
  return hasOne ? secured : security
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
  for (const name of used) {
    const scheme = spec.securitySchemes[name]
    const secret = credentials[name]
    if (!scheme || secret === undefined) continue
    const line = credentialHeader(scheme, secret)
    if (!line) continue
    allowed.add(line[0].toLowerCase())
    const values = headerValues(request.headers, line[0])
    const same = values.length === 1 && values[0]?.toLowerCase() === line[1].toLowerCase()
    if (!same) {
      findings.push({
        code: 'security',
        at: `request.headers.${line[0]}`,
        message: `the credential of ${name} is not sent as given, or not exactly once`,
      })
    }
  }
  const body = Buffer.from(request.body).toString('latin1')
  for (const [name, secret] of Object.entries(credentials)) {
    const places = [
      ...(decode(request.target).includes(secret) ? ['request.path'] : []),
      ...(body.includes(secret) ? ['request.body'] : []),
      ...request.headers.flatMap(([header, value]) =>
        value.includes(secret) && !allowed.has(header.toLowerCase()) ? [`request.headers.${header}`] : [],
      ),
    ]
    for (const at of places) {
      findings.push({ code: 'secret-leak', at, message: `the credential of ${name} does not belong here` })
    }
  }
  return findings
}
