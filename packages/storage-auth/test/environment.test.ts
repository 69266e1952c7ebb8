import { memoryTransport, tokenStoreConformance } from '@concord/runtime/testing'
import { expect, it, onTestFinished, vi } from 'vitest'

import { envStore, StorageAuth } from '../src/index.ts'
import { offline, WHO_AM_I } from './support.ts'

const inEnvironment = tokenStoreConformance({
  create: async () => {
    const store = envStore({ env: {}, save: () => undefined })
    return { open: () => store }
  },
})
for (const { name, run } of inEnvironment) it(`R-41: in the environment, ${name}`, run)

it('fromEnv reads the environment, by the documented names', async () => {
  const { emulator, login, client, sent } = await offline()
  const { control, authUrl, dataUrl } = emulator.storageAuth
  const pair = await control.issueTokens(login.email)
  const env = {
    STORAGE_AUTH_URL: authUrl,
    STORAGE_DATA_URL: dataUrl,
    STORAGE_ACCESS_TOKEN: pair.accessToken,
    STORAGE_REFRESH_TOKEN: pair.refreshToken,
    STORAGE_API_KEY: 'a-key',
  }
  const storage = StorageAuth.fromEnv(
    { transport: memoryTransport((request) => emulator.storageAuth.fetch(request)) },
    env,
  )
  const session = (await storage.resume())!
  expect(session.kind).toBe('tokens')
  expect((await session.fetch(WHO_AM_I)).status).toBe(200)
  // Without a way to save its successor, the refresh token is not used.
  control.expireAccessTokens()
  await expect(session.fetch(WHO_AM_I)).rejects.toMatchObject({ reason: 'no-refresh-token' })
  await storage.close()

  const kept: Record<string, string>[] = []
  const save = (variables: Readonly<Record<string, string>>) => void kept.push({ ...variables })
  const saving = client({ store: envStore({ env, save }) })
  const refreshed = (await saving.resume())!
  expect((await refreshed.fetch(WHO_AM_I)).status).toBe(200)
  expect(kept).toHaveLength(1)
  expect(Object.keys(kept[0]!)).toEqual(['STORAGE_ACCESS_TOKEN', 'STORAGE_REFRESH_TOKEN'])
  expect(kept[0]!['STORAGE_REFRESH_TOKEN']).not.toBe(pair.refreshToken)

  const { STORAGE_REFRESH_TOKEN } = kept[0]!
  const onlyRefresh = client({ store: envStore({ env: { STORAGE_REFRESH_TOKEN }, save }) })
  expect((await (await onlyRefresh.resume())!.fetch(WHO_AM_I)).status).toBe(200)
  expect(kept).toHaveLength(2)
  expect(sent.filter((each) => each.includes('refresh'))).toHaveLength(2)
  expect(await client({ store: envStore({ env: {} }) }).resume()).toBeUndefined()
  expect(() => StorageAuth.fromEnv({}, {})).toThrow(/STORAGE_AUTH_URL/)
  await using web = StorageAuth.fromEnv({}, { ...env, STORAGE_WEB_URL: 'http://web.test' })
  const onAddress = vi.fn(() => {
    throw new Error('enough')
  })
  await expect(web.signInWithBrowser({ openBrowser: false, onAddress })).rejects.toThrow('enough')
  expect(onAddress).toHaveBeenCalledWith(expect.stringMatching(/^http:\/\/web\.test\//))
})

it('a host without environment variables has an empty environment', async () => {
  const store = envStore()
  vi.stubGlobal('process', undefined)
  const reading = store.read()
  vi.unstubAllGlobals()
  expect(await reading).toBeUndefined()
})

it.each([
  ['a misspelled option', { sav: () => undefined }, 'sav'],
  ['a save of the wrong type', { save: 'file' }, 'save'],
  ['null', null, 'options'],
])('an environment store is not created with %s', (_what, options, option) => {
  expect(() => envStore(options as never)).toThrow(expect.objectContaining({ name: 'OptionsError', option }))
})

it('nothing is read from the environment unless fromEnv or envStore is used', async () => {
  vi.stubEnv('STORAGE_ACCESS_TOKEN', 'not-asked-for')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { storage } = await offline()
  expect(await storage.resume()).toBeUndefined()
  await using asked = StorageAuth.fromEnv({ authUrl: 'http://a', dataUrl: 'http://b' })
  expect(await (await asked.resume())?.accessToken()).toBe('not-asked-for')
})
