import { expect, it, onTestFinished, vi } from 'vitest'
import type { ClientOptions } from './client-options.ts'
import { createClient } from './client.ts'
import { stream } from './stream.ts'
import { clientFor, scene } from './test-support/clients.ts'
import { createItem, getItem, item, json, listItems, rejection } from './test-support/fixtures.ts'

/** The URLs that a call is sent to. */
async function urlsOf(operations: readonly (typeof listItems)[], servers: ClientOptions['servers']) {
  const { client, transport } = scene([json([])], { servers })
  for (const operation of operations) await client.send(operation, {})
  return transport.requests.map(({ url }) => url)
}

it('R-01: a base URL can be a path in a browser, resolved against the origin of the page', async () => {
  vi.stubGlobal('location', { origin: 'https://app.test' })
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(await urlsOf([listItems], { api: '/gateway/eu' })).toEqual(['https://app.test/gateway/eu/v1/items/'])
})

it.each([undefined, { origin: 'null' }])(
  'R-01: a base URL cannot be a path if the page has no origin: %j',
  (location) => {
    vi.stubGlobal('location', location)
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(() => createClient({ servers: { api: '/api' } })).toThrow(
      /a path such as \/api works only in browsers/i,
    )
  },
)

it.each([
  ['http://service.test', '/v1/items/'],
  ['http://service.test/', '/v1/items/'],
  ['http://service.test/gateway/eu', '/gateway/eu/v1/items/'],
  ['http://service.test/gateway/eu/', '/gateway/eu/v1/items/'],
])('R-01: the base URL %s keeps its prefix, and the path its trailing slash', async (api, path) => {
  expect(await urlsOf([listItems], { api })).toEqual([`http://service.test${path}`])
})

it('R-01: sends each operation to its own server', async () => {
  const servers = { api: 'http://one.test', other: 'http://two.test/x' }
  expect(await urlsOf([listItems, { ...listItems, server: 'other' }], servers)).toEqual([
    'http://one.test/v1/items/',
    'http://two.test/x/v1/items/',
  ])
})

it('R-01: an operation whose server is missing is not sent', async () => {
  const client = clientFor(() => json([]))
  const sending = async (): Promise<unknown> => client.send({ ...listItems, server: 'other' }, {})
  expect(await rejection(sending())).toMatchObject({ code: 'invalid-options', option: 'servers.other' })
})

it('a client shows only the names of its servers, and works only as itself', async () => {
  const client = clientFor(() => json([]))
  expect(JSON.stringify(client)).toBe('{"client":"concord","servers":["api"]}')
  expect(client.random()).toBe(0)
  const events: unknown[] = []
  const event = { type: 'drift', operation: 'x', status: 200, issues: [] } as const
  clientFor(() => json([]), { observe: (each) => events.push(each) }).emit(event)
  expect(events).toEqual([event])
  const copy = { ...client } as typeof client
  expect(await rejection(stream(copy, listItems, {}))).toMatchObject({
    code: 'invalid-options',
    option: 'client',
  })
  const items = { ...listItems, responses: { 200: { kind: 'items', items: { format: 'lines' } } } } as const
  await client.close()
  for (const operation of [listItems, items] as const) {
    const error = await rejection(client.send(operation, {}))
    expect(error).toMatchObject({ code: 'connection', sent: 'no', operation: 'listItems' })
    expect(String(error)).toContain('listItems: the client is closed')
  }
  expect(await rejection(stream(client, listItems, {}))).toMatchObject({ operation: 'listItems' })
})

it('encodes path and query values', async () => {
  const { client, transport } = scene([json(item)])
  await client.send(getItem, { path: { item_id: 'a/b ?c#d' }, query: { page: 2, tag: ['x&y', 'z'] } })
  expect(transport.requests[0]?.url).toBe(
    'http://service.test/v1/items/a%2Fb%20%3Fc%23d?page=2&tag=x%26y&tag=z',
  )
})

it.each([
  ['an unknown name', { timeout: 3 }, 'timeout'],
  ['a time-out as a string', { timeoutMs: '3' }, 'timeoutMs'],
  ['a deadline of 0', { deadline: 0 }, 'deadline'],
  ['no attempt', { maxAttempts: 0 }, 'maxAttempts'],
  ['half an attempt', { maxAttempts: 1.5 }, 'maxAttempts'],
  ['progress that is not a function', { onUploadProgress: 7 }, 'onUploadProgress'],
  ['a controller instead of a signal', { signal: new AbortController() }, 'signal'],
  ['an unknown extra', { extra: { header: {} } }, 'extra.header'],
])('rejects %s in the options of a call, and sends nothing', async (_, options, option) => {
  const { client, transport } = scene([json({})])
  expect(await rejection(client.send(listItems, {}, options as never))).toMatchObject({ option })
  expect(transport.requests).toEqual([])
})

it('`send` and `exchange` work apart from their client, as in `mediaApi(client.send)`', async () => {
  const { send, exchange } = clientFor(() => json(item))
  expect(await send(getItem, { path: { item_id: 'a' } })).toEqual(item)
  expect(await exchange(getItem, { path: { item_id: 'a' } })).toMatchObject({ status: 200, data: item })
})

it('sends a header with the value from the contract, unless the client or the call sets another', async () => {
  const { client, transport } = scene([json([])])
  const version = { name: 'X-Version', in: 'header', required: true, value: '1' } as const
  const operation = { ...listItems, parameters: [version] }
  await client.send(operation, {})
  await client.send(operation, {}, { extra: { headers: { 'X-Version': '2' } } })
  await clientFor(transport, { headers: { 'x-version': '3' } }).send(operation, {})
  expect(transport.requests.map(({ headers }) => headers.get('x-version'))).toEqual(['1', '2', '3'])
})

it('sends text as text, and no media type without a body', async () => {
  const { client, transport } = scene([json(item)])
  const text = {
    ...createItem,
    body: { kind: 'text', contentType: 'text/markdown', required: false },
  } as const
  await client.send(text, { body: '# title' as never })
  await client.send(text, { body: undefined as never })
  await client.send(createItem, { body: undefined as never })
  expect(transport.requests.map(({ headers, body }) => [headers.get('content-type'), body])).toEqual([
    ['text/markdown', '# title'],
    [null, ''],
    [null, ''],
  ])
})
