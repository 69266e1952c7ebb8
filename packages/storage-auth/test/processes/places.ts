import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DatabaseServer } from '@concord/database'
import { readStoredSession, type StoredSession } from '@concord/runtime/session'
import { Pool } from 'pg'

import { openPlace } from './open-place.ts'
import type { TokenStore } from '../../src/index.ts'

/** A place that processes share a session in. */
export interface Place {
  readonly kind: 'file' | 'postgres'
  /** The path of the file, or the connection string of the database. */
  readonly address: string
  open(): TokenStore
  /** Reads the stored session directly, not through the store. Throws if it is incomplete. */
  stored(): Promise<StoredSession | undefined>
  remove(): Promise<void>
}

export async function filePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'concord-sessions-'))
  const address = join(folder, 'session.json')
  return {
    kind: 'file',
    address,
    open: () => openPlace('file', address).store,
    async stored() {
      const text = await readFile(address, 'utf8').catch(() => undefined)
      return text === undefined ? undefined : checked(text)
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

export async function postgresPlace(server: DatabaseServer): Promise<Place> {
  const address = await server.createDatabase()
  const pool = new Pool({ connectionString: address, max: 1 }).on('error', () => undefined)
  const { store, close } = openPlace('postgres', address)
  // Creates the tables.
  await store.read()
  return {
    kind: 'postgres',
    address,
    open: () => store,
    async stored() {
      const { rows } = await pool.query<{ body: string | null }>('select body from concord.sessions')
      const text = rows[0]?.body ?? undefined
      return text === undefined ? undefined : checked(text)
    },
    async remove() {
      await close()
      await pool.end()
    },
  }
}

function checked(text: string): StoredSession {
  const session = readStoredSession(text)
  if (typeof session === 'string') throw new Error(`the stored session ${session}`)
  return session
}
