import { fetchTransport } from './fetch-transport.ts'
import type { Transport } from './transport.ts'

// Separate from `fetch-transport.ts`, which the package's index imports, because bundlers can't defer a file that is
// also imported eagerly.

/** The default outside Node: `fetch`, which manages connections by its own rules. */
export function defaultTransport(_options: { readonly connections: number }): Transport {
  return fetchTransport()
}
