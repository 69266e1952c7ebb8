import { expect, it } from 'vitest'

import { createEmulator, type Emulator } from '../../src/index.ts'
import { handlersFor, type MswBaseAddresses } from '../../src/msw.ts'

// A replacement for msw's `http`. The consumer `msw` uses the real one.
const http = {
  all: (path: string, resolver: (info: { readonly request: Request }) => Promise<Response>) => ({
    path,
    respond: (url: string, init?: RequestInit) => resolver({ request: new Request(url, init) }),
  }),
}

const handlerAt = (emulator: Emulator, path: string, addresses?: MswBaseAddresses) => {
  const found = handlersFor(http, emulator, addresses).find((handler) => handler.path === path)
  if (found === undefined) throw new Error(`no handler for ${path}`)
  return found
}

it('responds at the base URL of the code and at its own, with the path and the query', async () => {
  await using emulator = await createEmulator()
  const mine = 'https://extraction.example/api'
  const path = '/v1/pipelines?limit=1'
  const headers = { 'x-api-key': emulator.extraction.apiKey }
  const handler = handlerAt(emulator, `${mine}/*`, { extraction: { baseUrl: `${mine}/` } })
  const own = handlerAt(emulator, 'http://extraction.emulator.invalid/*')
  for (const response of [
    await handler.respond(mine + path, { headers }),
    await own.respond(emulator.extraction.baseUrl + path, { headers }),
  ])
    expect(response.status).toBe(200)
  const paths = emulator.extraction.control.requests().map((request) => request.path)
  expect(paths).toEqual(['/v1/pipelines', '/v1/pipelines'])
})

it('reports a fault that breaks the connection as a network error', async () => {
  await using emulator = await createEmulator()
  emulator.media.control.faults.add({ kind: 'reset', when: 'before' })
  const handler = handlerAt(emulator, 'http://media.emulator.invalid/*')
  expect((await handler.respond('http://media.emulator.invalid/v1/organization')).type).toBe('error')
})

it('rejects the name of a base URL that a service does not have, and lists those that it has', async () => {
  await using emulator = await createEmulator()
  expect(() => handlersFor(http, emulator, { storageAuth: { baseUrl: 'https://auth.example' } })).toThrow(
    'The service `storageAuth` has no base URL named `baseUrl`. Its base URLs: `authUrl`, `dataUrl`',
  )
})
