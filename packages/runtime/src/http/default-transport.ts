import { fetchTransport } from './fetch-transport.ts'
import type { Transport } from './transport.ts'

// This file can be loaded on demand. `fetch-transport.ts` can't: the package's index imports it eagerly, and bundlers
// can't defer a file that is also imported eagerly.

/** The default transport outside Node. Ignores `connections`, because `fetch` manages connections itself. */
export function defaultTransport(_options: { readonly connections: number }): Transport {
  return fetchTransport()
}
