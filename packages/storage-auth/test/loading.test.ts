import { callWithout } from '@concord/contract-kit/missing-file'
import { expect, it } from 'vitest'

const client = {
  folder: import.meta.dirname,
  setUp: `
    const { memoryTokenStore } = await import('@concord/runtime/session')
    const store = memoryTokenStore()
    const stored = { accessToken: 'access', refreshToken: 'refresh', obtainedAtMs: Date.now() - 3_600_000, expiresAtMs: Date.now() - 1 }
    await store.exclusive((held) => held.write(stored))
    const servers = { authUrl: 'https://auth.storage.example', dataUrl: 'https://data.storage.example' }
    const storage = new exported.StorageAuth({ ...servers, apiKey: 'key', store, transport })`,
  more: 'presented: (await store.read()).presented ?? 0',
}
const refresh = `storage.resume().then((session) => session.refresh())`
const request = `storage.withApiKey().fetch('/v1/projects')`

it.each([
  ['/refresh-run.ts', refresh, 'refresh'],
  ['/authorized-request.ts', request, 'fetch'],
])('sends nothing and presents no refresh token without the code in %s', (file, call, operation) => {
  const found = callWithout(file, { ...client, call })

  expect(found).toEqual({ attempts: 0, presented: 0, code: 'connection', sent: 'no', operation })
})

it.each([refresh, request])('sends a request if every part loads: %s', (call) => {
  expect(callWithout('/no-such-file.ts', { ...client, call })).toMatchObject({ attempts: 1 })
})
