import type { Service } from './service.ts'
import type { SecurityScheme } from './specification.ts'

interface Credential {
  readonly value: string
  /** The name of the security scheme in the contract. */
  readonly scheme: string
}

function readCredentials(security: readonly SecurityScheme[], headers: Headers, url: URL): Credential[] {
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

export function identify<Caller>(
  service: Pick<Service<Caller>, 'authenticate' | 'publicCaller'>,
  { id, security }: { id: string; security: readonly SecurityScheme[] },
  headers: Headers,
  url: URL,
): { caller?: Caller; problem?: 'key-missing' | 'key-invalid' } {
  const credentials = readCredentials(security, headers, url)
  for (const { value, scheme } of credentials) {
    const caller = service.authenticate(value, scheme)
    if (caller !== undefined) return { caller }
  }
  const caller = service.publicCaller?.(id)
  if (caller !== undefined) return { caller }
  if (security.length === 0) return {}
  return { problem: credentials.length > 0 ? 'key-invalid' : 'key-missing' }
}
