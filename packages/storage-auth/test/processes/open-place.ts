import { postgresTokenStore } from '@concord/postgres'
import { Pool } from 'pg'

import type { TokenStore } from '../../src/index.ts'
import { fileStore } from '../../src/node.ts'

/**
 * The time at which a test's clocks are frozen, in milliseconds since the Unix epoch. Processes that start at different times
 * share it, so that a slow machine can't push a request out of the rate's window.
 */
export const FROZEN_AT_MS = Date.UTC(2026, 0, 1)

/** Opens the store of a place, in the process of the test or of a worker. */
export function openPlace(
  kind: string,
  address: string,
): { readonly store: TokenStore; readonly close: () => Promise<void> } {
  if (kind === 'file') return { store: fileStore(address), close: async () => undefined }
  const pool = new Pool({ connectionString: address, max: 2 })
  pool.on('error', () => undefined)
  // The processes of these tests are killed, and none comes back.
  return { store: postgresTokenStore(pool, { takeoverMs: 0 }), close: () => pool.end() }
}
