import { expect, it } from 'vitest'

import { OptionsError } from '../src/index.ts'
import { MINUTE, offline, WHO_AM_I } from './support.ts'

it('R-10: the credential does not go to other origins than those of the base URLs', async () => {
  const { storage, login, sent } = await offline()
  const session = await storage.signIn(login)
  await expect(session.fetch('http://evil.test/v1/projects')).rejects.toBeInstanceOf(OptionsError)
  expect(sent).toHaveLength(1)
})

it('R-10: a request with its own credential is rejected', async () => {
  const { storage, login, sent } = await offline()
  const session = await storage.signIn(login)
  for (const name of ['Authorization', 'x-api-key', 'X-API-Key']) {
    await expect(session.fetch('/v1/x', { headers: { [name]: 'mine' } })).rejects.toThrow(
      /session sets the header/,
    )
  }
  expect(sent).toHaveLength(1)
})

it('R-03: an abort ends a fetch, even while its body is being read', async () => {
  const { storage, login } = await offline()
  const session = await storage.signIn(login)
  const reason = new Error('enough')
  await expect(session.fetch(WHO_AM_I, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const controller = new AbortController()
  const response = await session.fetch(WHO_AM_I, { signal: controller.signal })
  controller.abort(reason)
  await expect(response.text()).rejects.toBe(reason)
})

it('R-43: an endpoint that returns 401 to every token costs one refresh a minute, and no waiting', async () => {
  const { storage, login, sent, emulator, clock } = await offline()
  const session = await storage.signIn(login)
  const fault = { kind: 'status', status: 401, operation: 'page:whoami', times: 'always' } as const
  emulator.storageAuth.control.faults.add(fault)
  const beganMs = clock.elapsedMs
  for (let calls = 0; calls < 12; calls++) expect((await session.fetch(WHO_AM_I)).status).toBe(401)
  expect(sent.filter((request) => request.includes('refresh'))).toHaveLength(1)
  expect(clock.elapsedMs).toBe(beganMs)
  await clock.advance(MINUTE)
  expect((await session.fetch(WHO_AM_I)).status).toBe(401)
  expect(sent.filter((request) => request.includes('refresh'))).toHaveLength(2)
})
