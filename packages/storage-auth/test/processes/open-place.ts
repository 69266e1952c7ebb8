import { postgresTokenStore } from '@concord/postgres'
import { Pool } from 'pg'

import type { TokenStore } from '../../src/index.ts'
import { fileStore } from '../../src/node.ts'

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
