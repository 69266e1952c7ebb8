import { inspect } from 'node:util'

import type { StoredSession } from '@concord/runtime/session'
import { tokenStoreConformance } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { migrate, postgresTokenStore, type PostgresTokenStoreOptions } from '../src/index.ts'
import { testDatabase } from './support/database.ts'

const database = testDatabase()
const SECRETS = { old: Buffer.alloc(32, 1).toString('base64'), new: new Uint8Array(32).fill(2) }
const OLD = { id: 'old', secret: SECRETS.old }
const NEW = { id: 'new', secret: SECRETS.new }
const SESSION: StoredSession = {
  accessToken: 'access-secret-1',
  refreshToken: 'refresh-secret-1',
  obtainedAtMs: 1,
  subject: 'secret-user',
  details: { email: 'secret@example.com' },
}

let places = 0
const subjects: Record<string, PostgresTokenStoreOptions> = {
  'in PostgreSQL': {},
  'encrypted in PostgreSQL': { keys: [NEW, OLD] },
}
for (const [kind, options] of Object.entries(subjects)) {
  const create = async () => {
    const name = `place-${++places}`
    return { open: () => postgresTokenStore(database.pool, { ...options, name }) }
  }
  for (const { name, run } of tokenStoreConformance({ create })) it(`R-41: ${kind}, ${name}`, run)
}

it('R-41: a pool with one connection is enough, even for reads and the request log while the session is held', async () => {
  const pool = database.newPool({ max: 1 })
  const store = postgresTokenStore(pool, { name: 'narrow' })
  const held = store.exclusive(async (each) => {
    await each.write(SESSION)
    await store.requestLog!.update((record) => ({ record, result: 0 }))
    return (await store.read())?.accessToken
  })
  await expect(Promise.all([held, store.exclusive((each) => each.read())])).resolves.toMatchObject([
    SESSION.accessToken,
    SESSION,
  ])
})

it('R-41: with a key, no row contains an unencrypted part of the session', async () => {
  await migrate(database.pool, { schema: 'concord_sealed' })
  const store = postgresTokenStore(database.pool, { schema: 'concord_sealed', name: 'sealed', keys: [NEW] })
  await store.exclusive((held) => held.write(SESSION))
  const text = await database.contents('concord_sealed')
  expect(text).toContain('sealed')
  expect(text).not.toContain('secret')
  // Checks that the content isn't merely encoded.
  const decoded = [...text.matchAll(/[\w-]{16,}/g)].map(([part]) =>
    Buffer.from(part, 'base64url').toString('latin1'),
  )
  expect(decoded.join('\n')).not.toMatch(/secret|accessToken/)
})

it('R-41: keys rotate: the first encrypts, and the others read what they encrypted', async () => {
  const open = (...keys: (typeof OLD | typeof NEW)[]) =>
    postgresTokenStore(database.pool, { name: 'rotated', keys })
  await open(OLD).exclusive((held) => held.write(SESSION))
  await open(NEW, OLD).exclusive(async (held) => held.write((await held.read())!))
  expect(await open(NEW).read()).toEqual(SESSION)
})

it.each([
  ['without keys', undefined, /`keys` is missing.*"wrong".*the key "old"/],
  ['with other keys', [NEW], /with the key "old".*only "new"/],
  [
    'with another secret',
    [{ id: 'old', secret: SECRETS.new }],
    /secret of the key "old" isn't the secret that encrypted the session/,
  ],
])(
  'R-41: an encrypted session cannot be read %s, and the error shows nothing of it',
  async (_, keys, message) => {
    await postgresTokenStore(database.pool, { name: 'wrong', keys: [OLD] }).exclusive((held) =>
      held.write(SESSION),
    )
    const store = postgresTokenStore(database.pool, { name: 'wrong', ...(keys && { keys }) })
    for (const reading of [store.read(), store.exclusive((held) => held.read())]) {
      const error = await reading.catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'invalid-options',
        option: 'keys',
        message: expect.stringMatching(message),
      })
      expect(`${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}`).not.toMatch(
        /-secret-|eyJ/,
      )
    }
    await store.exclusive((held) => held.remove())
    expect(await store.read()).toBeUndefined()
  },
)

it('R-41: an unencrypted session is rejected if keys are passed, as is a row copied from another session', async () => {
  await postgresTokenStore(database.pool, { name: 'clear' }).exclusive((held) => held.write(SESSION))
  const store = (name: string) => postgresTokenStore(database.pool, { name, keys: [NEW] })
  await expect(store('clear').read()).rejects.toThrow(/is not encrypted/)
  await store('original').exclusive((held) => held.write(SESSION))
  await database.pool.query(
    "insert into concord.sessions (name, body) select 'copy', body from concord.sessions where name = 'original'",
  )
  await expect(store('copy').read()).rejects.toThrow(/the row was changed/)
})

it('R-41: a row with other content is rejected without quoting it', async () => {
  const store = postgresTokenStore(database.pool, { name: 'foreign' })
  await store.read()
  await database.pool.query("insert into concord.sessions (name, body) values ('foreign', 'secret text')")
  const error = await store.read().catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    option: 'store',
    message: expect.stringMatching(/does not contain a session/),
  })
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret text')
})

it('R-41: a process that was replaced because it did not reconnect in time cannot write', async () => {
  const options = { name: 'fenced', takeoverMs: 0 }
  const [slow, next] = [database.newPool(), database.newPool()].map((pool) =>
    postgresTokenStore(pool, options),
  )
  const error = await slow!
    .exclusive(async (held) => {
      await held.write(SESSION)
      await cutLocks()
      await next!.exclusive((other) => other.write({ ...SESSION, accessToken: 'access-2' }))
      await held.write({ ...SESSION, accessToken: 'stale' })
    })
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'database', reason: 'lost' })
  expect((await next!.read())?.accessToken).toBe('access-2')
})

it('R-41: a process that lost its connection stores the new pair before another presents the old token', async () => {
  const options = { name: 'back', takeoverMs: 5_000 }
  const [first, second] = [database.newPool(), database.newPool()].map((pool) =>
    postgresTokenStore(pool, options),
  )
  const order: string[] = []
  await first!.exclusive(async (held) => {
    await held.write(SESSION)
    await cutLocks()
    const waiting = second!.exclusive(async (other) => order.push((await other.read())!.accessToken))
    // The other process has the lock, and has found the holder without it.
    await expect.poll(() => database.count('concord.sessions where free_at is not null')).toBe(1)
    await held.write({ ...SESSION, accessToken: 'access-2' })
    void waiting
  })
  await second!.exclusive(async () => undefined)
  expect(order).toEqual(['access-2'])
})

async function cutLocks(): Promise<void> {
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
  )
}
