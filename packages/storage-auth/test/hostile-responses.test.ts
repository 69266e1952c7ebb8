import { join } from 'node:path'

import { expect, it } from 'vitest'

import { AuthenticationError, type StorageAuth, type StorageAuthOptions } from '../src/index.ts'
import { fileStore } from '../src/node.ts'
import { rejection, responding, temporaryFolder, TOKENS } from './support.ts'

/** Returns a client whose service responds to every sign-in with these tokens. */
const issuing = (tokens: object, options: Partial<StorageAuthOptions> = {}): StorageAuth =>
  responding(() => Response.json({ ...TOKENS, access_token: 'access', ...tokens }), options)
/** Returns the path of a session in a new folder. */
const place = async (): Promise<string> => join(await temporaryFolder(), 'session.json')

const login = { email: 'kim@mail.example', password: 'secret' }

it.each([
  ['of 2 MB', JSON.stringify({ id: 'kim', name: 'x'.repeat(2_000_000) })],
  ['nested 20,000 deep', `{"id":"kim","inner":${'{"inner":'.repeat(20_000)}{}${'}'.repeat(20_000)}}`],
])('R-42: a user %s is dropped, and the session is stored', async (_what, user) => {
  const path = await place()
  const body = `{"access_token":"access","refresh_token":"refresh","expires_in":3600,"user":${user}}`
  const respond = () => new Response(body, { headers: { 'content-type': 'application/json' } })
  const session = await responding(respond, { store: fileStore(path) }).signIn(login)
  expect(session.user).toBeUndefined()
  expect(await (await issuing({}, { store: fileStore(path) }).resume())?.accessToken()).toBe('access')
})

it('R-42: a session that could not be read back is not written', async () => {
  const path = await place()
  const storage = issuing({ access_token: 'x'.repeat(2_000_000) }, { store: fileStore(path) })
  await expect(storage.signIn(login)).rejects.toMatchObject({ code: 'invalid-options', option: 'store' })
  expect(await storage.resume()).toBeUndefined()
})

it.each([
  ['a message nested 12,000 deep', () => `${'{"message":'.repeat(12_000)}"a"${'}'.repeat(12_000)}`, {}],
  ['a message of 8 MB', () => JSON.stringify({ message: 'x'.repeat(8_000_000) }), {}],
  [
    'a lock that ends later than any possible date',
    () => '"Account is temporarily locked"',
    { 'retry-after': '9000000000000' },
  ],
])('%s becomes the ordinary error for its status', async (_what, body, headers) => {
  const init = { status: 401, headers: { ...headers, 'content-type': 'application/json' } }
  const storage = responding(() => new Response(body(), init))
  const failure = await rejection(storage.signIn(login))
  expect(AuthenticationError.is(failure)).toBe(true)
  expect((failure as Error).message.length).toBeLessThan(2000)
})
