import { fetchTransport } from './fetch-transport.ts'
import type { Transport } from './transport.ts'

/** Where there is no Node: `fetch`, which keeps connections by rules of its own. */
export function defaultTransport(_options: { readonly connections: number }): Transport {
  return fetchTransport()
}
