import { fetchTransport } from './fetch-transport.ts'
import type { Transport } from './transport.ts'

// A separate file, so that bundlers can load it on demand. They can't defer `fetch-transport.ts`, because the
// package's index imports that file eagerly.

/** The default transport outside Node. Ignores `connections`, because `fetch` manages connections itself. */
export function defaultTransport(_options: { readonly connections: number }): Transport {
  return fetchTransport()
}
