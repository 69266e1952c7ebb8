import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'

import { frozenClock } from '../../src/core/clock.ts'
import { bodyReply, jsonReply } from '../../src/core/reply.ts'
import type { Handler, Page, Service } from '../../src/core/service.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { createEmulator, type ServiceName } from '../../src/index.ts'
import { SERVICE_NAMES, SERVICES } from '../../src/services.ts'
import { startService } from '../support/small-service.ts'

const server = (name: string): JsonObject => ({ url: `{${name}}`, variables: { [name]: { default: '' } } })
const responses: JsonObject = {
  200: { content: { '*/*': {} } },
  400: {},
  401: {},
}

/** A service with two base URLs, two kinds of credentials, and media ranges. */
const document: JsonObject = {
  openapi: '3.1.0',
  servers: [server('auth_url')],
  paths: {
    '/login': { post: { operationId: 'login', responses } },
    '/things': {
      servers: [server('data_url')],
      get: {
        operationId: 'listThings',
        security: [{ token: [] }, { key: [] }],
        responses,
      },
      put: {
        operationId: 'putThing',
        servers: [server('auth_url')],
        requestBody: {
          content: {
            'audio/*': { schema: { type: 'string' } },
            'audio/json': { schema: { type: 'object' } },
            'application/json': { schema: { type: 'object', required: ['a'] } },
          },
        },
        responses,
      },
    },
  },
  components: {
    securitySchemes: {
      token: { type: 'http', scheme: 'Token' },
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    },
  },
}

function startApp(basePaths: Readonly<Record<string, string>>, pages: Page[] = []) {
  const calls: Parameters<Handler<string>['handle']>[0][] = []
  const handle: Handler<string>['handle'] = (call) => {
    calls.push(call)
    return bodyReply(200, 'text/plain', call.caller ?? 'nobody')
  }
  const parts: Partial<Service<string>> = {
    handlers: { login: { handle }, listThings: { handle }, putThing: { handle } },
    pages,
    authenticate: (value, scheme) => (value === 'good' ? `${scheme} ${value}` : undefined),
    admit: (_, __, { remoteAddress }) =>
      remoteAddress === '10.0.0.9' ? jsonReply(400, { reason: remoteAddress }) : undefined,
  }
  return { ...startService(document, parts, basePaths), calls }
}

it('a service with several base URLs serves each operation under its base URL, and passes all base URLs to handlers', async () => {
  const { send, calls } = startApp({ authUrl: '/auth', dataUrl: '/data/v9', webUrl: '' })
  expect((await send('/auth/login', { method: 'POST' })).status).toBe(200)
  expect((await send('/data/v9/things', { headers: { 'x-key': 'good' } })).status).toBe(200)
  expect((await send('/auth/things', { method: 'PUT', body: '{"a":1}', headers: json })).status).toBe(200)
  for (const path of ['/auth/things', '/things', '/data/things', '/data/v9/login'])
    expect((await send(path)).status, path).toBe(400)
  const baseUrls = {
    authUrl: 'http://small.invalid/auth',
    dataUrl: 'http://small.invalid/data/v9',
    webUrl: 'http://small.invalid',
  }
  expect(calls.map((call) => call.baseUrl)).toEqual([baseUrls.authUrl, baseUrls.dataUrl, baseUrls.authUrl])
  expect(calls.every((call) => JSON.stringify(call.baseUrls) === JSON.stringify(baseUrls))).toBe(true)
})

it("a service can't start without one of the base URLs of its contract", () => {
  expect(() => startApp({ authUrl: '' })).toThrow(
    '`/things` of the service `small` belongs to the base URL `dataUrl`',
  )
})

it('pages can be under any base URL, with any method and with the rest of a path', async () => {
  const handle: Page['handle'] = ({ method, parameters, baseUrl }) =>
    jsonReply(200, { method, ...parameters, baseUrl })
  const { send } = startApp({ authUrl: '', dataUrl: '/data' }, [
    { name: 'page:any', method: '*', baseUrlName: 'dataUrl', path: '/files/{rest+}', handle },
    { name: 'page:one', method: 'GET', path: '/files/one', handle },
    { name: 'page:exact', method: 'GET', baseUrlName: 'dataUrl', path: '/files/{id}/exact', handle },
  ])
  const baseUrl = 'http://small.invalid/data'
  expect(await (await send('/data/files/a/b%2F', { method: 'PURGE' })).json()).toEqual({
    method: 'PURGE',
    rest: 'a/b%2F',
    baseUrl,
  })
  expect(await (await send('/data/files/a/exact')).json()).toEqual({ method: 'GET', id: 'a', baseUrl })
  expect(await (await send('/files/one')).json()).toEqual({
    method: 'GET',
    baseUrl: 'http://small.invalid',
  })
  expect((await send('/data/files')).status).toBe(400)
})

const json = { 'content-type': 'application/json' }

it.each<[string, Record<string, string>, string | number]>([
  ['of the first kind', { authorization: 'Token good' }, 'token good'],
  ['in any case of its word', { authorization: 'tOKEN good' }, 'token good'],
  ['of the second kind', { 'x-key': 'good' }, 'key good'],
  ['of both kinds', { authorization: 'Token good', 'x-key': 'good' }, 'token good'],
  ['of both kinds, the first wrong', { authorization: 'Token bad', 'x-key': 'good' }, 'key good'],
  ['with another word', { authorization: 'Bearer good' }, 401],
  ['of none', {}, 401],
])('the caller of a request is read from a credential %s', async (_, headers, expected) => {
  const response = await startApp({ authUrl: '', dataUrl: '' }).send('/things', { headers })
  expect(response.status === 200 ? await response.text() : response.status).toBe(expected)
})

it.each([
  ['audio/mpeg', '{}', 200],
  ['AUDIO/Mpeg; x=1', 'bytes', 200],
  ['text/plain', 'bytes', 400],
  ['application/json', '{"a":1}', 200],
  ['application/json', '{}', 400],
])(
  'a body of the type %s is checked by the exact type of the contract before a range of types',
  async (type, body, status) => {
    const { send } = startApp({ authUrl: '', dataUrl: '' })
    const init = { method: 'PUT', body, headers: { 'content-type': type } }
    expect((await send('/things', init)).status).toBe(status)
  },
)

it('handlers and `admit` get the IP address of the sender', async () => {
  const { send, calls } = startApp({ authUrl: '', dataUrl: '' })
  await send('/login', { method: 'POST', headers: { 'x-forwarded-for': '1.2.3.4' } }, '10.0.0.1')
  await send('/login', { method: 'POST' })
  expect(calls.map((call) => call.remoteAddress)).toEqual(['10.0.0.1', '127.0.0.1'])
  expect(calls[0]?.headers.get('x-forwarded-for')).toBe('1.2.3.4')
  expect((await send('/login', { method: 'POST' }, '10.0.0.9')).status).toBe(400)
})

it.each(SERVICE_NAMES)(
  'the service %s has the same base URLs and credentials in process and served',
  async (name) => {
    await using emulator = await createEmulator({ clock: frozenClock(), seed: 1 })
    await using served = await emulator.serve({ services: [name] })
    const { cliName } = SERVICES[name]
    const inProcess = emulator[name] as unknown as Record<string, unknown>
    const overHttp = served[name] as unknown as Record<string, unknown>
    for (const [key, value] of Object.entries(inProcess)) {
      if (typeof value !== 'string') continue
      const counterpart = overHttp[key]
      if (!value.startsWith('http:')) expect(counterpart).toBe(value)
      else {
        expect(new URL(value).hostname).toBe(`${cliName}.emulator.invalid`)
        expect(new URL(String(counterpart)).pathname).toBe(new URL(value).pathname)
      }
    }
    expect(Object.keys(overHttp).length).toBeGreaterThan(1)
    for (const other of SERVICE_NAMES.filter((candidate) => candidate !== name))
      expect(served).not.toHaveProperty(other)
  },
)

it('each service has its own random source, derived from the seed', async () => {
  const keys = async (first: ServiceName) => {
    await using emulator = await createEmulator({ seed: 1 })
    void emulator[first].state
    return [emulator.extraction.apiKey, emulator.speech.apiKey]
  }
  expect(await keys('speech')).toEqual(await keys('extraction'))
  const [extraction, speech] = await keys('extraction')
  expect(extraction?.slice(4)).not.toBe(speech?.slice(4))
})

it('the services of an emulator share one clock', async () => {
  await using emulator = await createEmulator({ clock: frozenClock() })
  await emulator.extraction.control.clock.advance(5_000)
  expect(emulator.speech.control.clock.now()).toBe(emulator.extraction.control.clock.now())
})

it.each([
  [{ extraction: { apiKeys: [] } }, '`apiKeys` must contain at least one key'],
  [{ media: { apiSecrets: [] } }, '`apiSecrets` must contain at least one'],
  [{ speech: { apiKeys: [] } }, '`apiKeys` must contain at least one key'],
  [{ speech: { connectionAllowance: 0 } }, 'The connection allowance must be above 0, not 0.'],
  [{ speech: { agentPath: 'x' } }, '`agentPath` must be empty or a path'],
])('createEmulator rejects the invalid options %j', async (options, message) => {
  await expect(createEmulator(options)).rejects.toThrow(message)
})

it('serve() releases the other ports if one is taken', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const free = await freePort()
  await using emulator = await createEmulator()
  const ports = { extraction: free, speech: port }
  await expect(emulator.serve({ services: ['extraction', 'speech'], ports })).rejects.toThrow(`:${port}`)
  await using served = await emulator.serve({ services: ['extraction'], ports: { extraction: free } })
  expect(served.extraction.baseUrl).toBe(`http://127.0.0.1:${free}`)
})

const preflight = {
  method: 'OPTIONS',
  headers: {
    origin: 'https://app.test',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization, x-a',
  },
}

it('responses have no CORS headers by default', async () => {
  await using emulator = await createEmulator()
  const { fetch, apiUrl } = emulator.speech
  expect((await fetch(`${apiUrl}/v1/listen`, preflight)).status).toBe(405)
  const response = await fetch(`${apiUrl}/v1/models`, { headers: { origin: 'https://app.test' } })
  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

it('`cors: true` allows browsers from every origin, even for errors', async () => {
  await using emulator = await createEmulator({ cors: true })
  await using served = await emulator.serve({ services: ['speech'] })
  const { apiUrl } = served.speech
  const asked = await fetch(`${apiUrl}/v1/listen`, preflight)
  expect(asked.status).toBe(204)
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'authorization, x-a',
    'access-control-allow-methods': expect.stringContaining('POST'),
  })
  const response = await fetch(`${apiUrl}/v1/models`, { headers: { origin: 'https://app.test' } })
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ code: 'key-missing' })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-expose-headers')).toContain('content-type')
})

it('`cors` allows browsers from the listed origins only', async () => {
  await using emulator = await createEmulator({ cors: ['https://app.test'] })
  const { fetch, apiUrl } = emulator.speech
  const from = async (origin: string) =>
    (await fetch(`${apiUrl}/v1/models`, { headers: { origin } })).headers.get('access-control-allow-origin')
  expect(await from('https://app.test')).toBe('https://app.test')
  expect(await from('https://other.test')).toBeNull()
  const denied = { ...preflight, headers: { ...preflight.headers, origin: 'https://other.test' } }
  expect((await fetch(`${apiUrl}/v1/listen`, denied)).headers.get('access-control-allow-origin')).toBeNull()
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
