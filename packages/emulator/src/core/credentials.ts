import type { SecurityScheme } from './specification.ts'

/** The credentials that a request carries. */
export interface Credential {
  readonly value: string
  /** The name of the scheme in the contract. */
  readonly scheme: string
}

/** Reads every credential that a request shows for one of the schemes, in their order. */
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
    const [word = '', value] = (headers.get('authorization') ?? '').split(/ +/, 2)
    return value && word.toLowerCase() === scheme.scheme.toLowerCase() ? [{ value, scheme: schemeName }] : []
  })
}

/** The caller that the first valid credential stands for; undefined without a valid one. */
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
