import { fetchTransport } from './fetch-transport.ts'
import type { Transport } from './transport.ts'

// A file of its own: bundlers don't load a file later that another one imports at once, as the package's index imports
// `fetchTransport`.

/** Outside of Node: `fetch`, which keeps connections by rules of its own. */
export function defaultTransport(_options: { readonly connections: number }): Transport {
  return fetchTransport()
}
