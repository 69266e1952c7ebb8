import type { SecurityScheme } from './specification.ts'

export interface Credential {
  readonly value: string
  /** The name of the scheme in the contract. */
  readonly scheme: string
}

/** Reads the credentials that a request has for the schemes, in the order of the schemes. */
export function readCredentials(
  security: readonly SecurityScheme[],
  headers: Headers,
  url: URL,
): Credential[] {
  return security.flatMap((scheme) => {
    const { schemeName } = scheme
    if (scheme.type === 'apiKey') {
      const value = scheme.in === 'header' ? headers.get(scheme.name) : url.searchParams.get(scheme.name)
      return value ? [{ value, scheme: schemeName }] : []
    }
    if (scheme.type === 'other') return []
    const [prefix = '', value] = (headers.get('authorization') ?? '').split(/ +/, 2)
    return value && prefix.toLowerCase() === scheme.scheme.toLowerCase()
      ? [{ value, scheme: schemeName }]
      : []
  })
}

/** Returns the caller that the first valid credential identifies, or undefined without a valid credential. */
export function authenticate<Caller>(
  credentials: readonly Credential[],
  service: { authenticate(value: string, scheme: string): Caller | undefined },
): Caller | undefined {
  for (const { value, scheme } of credentials) {
    const caller = service.authenticate(value, scheme)
    if (caller !== undefined) return caller
  }
  return undefined
}
