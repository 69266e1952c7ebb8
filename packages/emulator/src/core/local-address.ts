import { isIP } from 'node:net'

/** Top-level names that the public DNS never resolves (RFC 6761, RFC 6762, RFC 8375, and ICANN's `internal`). */
const PRIVATE_NAMES = ['localhost', 'local', 'internal', 'test', 'invalid', 'example', 'home.arpa']

/**
 * Whether a host of a URL is one that nobody can register a public name for: an IP address, a name without a dot such as
 * that of a container, or a name that is reserved for private use.
 */
export function isNotPublicAddress(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || !name.includes('.')) return true
  return PRIVATE_NAMES.some((reserved) => name.endsWith(`.${reserved}`))
}
