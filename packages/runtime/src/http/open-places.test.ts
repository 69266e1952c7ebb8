import { expect, it } from 'vitest'
import type { ScriptedTransport } from '../testing/transports.ts'
import { clientFor, scene } from './test-support/clients.ts'
import {
  createItem,
  item,
  json,
  listItems,
  rejection,
  uploadBytes,
  uploadForm,
} from './test-support/fixtures.ts'

/** The media type and the body of each request. */
const sentBy = ({ requests }: ScriptedTransport) =>
  requests.map(({ headers, body }) => [headers.get('content-type'), body])

it('R-07: sends extra query parameters, headers and body fields', async () => {
  const { client, transport } = scene([json(item)])
  await client.send(
    createItem,
    { body: { name: 'x' } },
    { extra: { query: { v: 2 }, headers: { 'X-Flag': 'on' }, body: { pipeline: 'fast' } } },
  )
  const [request] = transport.requests
  expect(request).toMatchObject({
    url: 'http://service.test/v1/items?v=2',
    body: '{"name":"x","pipeline":"fast"}',
  })
  expect(request?.headers.get('x-flag')).toBe('on')
})

it('R-07: a media type from the caller replaces that of a JSON body', async () => {
  const { client, transport } = scene([json(item)])
  const headers = { 'Content-Type': 'application/vnd.example+json' }
  await client.send(createItem, { body: { name: 'x' } }, { extra: { headers } })
  await client.send(createItem, { body: { name: 'x' } })
  expect(sentBy(transport).map(([type]) => type)).toEqual([
    'application/vnd.example+json',
    'application/json',
  ])
})

it('R-07: an extra header cannot contain another header or affect the connection', async () => {
  const { client, transport } = scene([json(item)])
  await client.send(listItems, {}, { extra: { headers: { 'x-n': 7 as never } } })
  expect(transport.requests[0]?.headers.get('x-n')).toBe('7')
  for (const headers of [
    { 'x-o': {} as never },
    { 'x-a': 'b\r\nx-evil: 1' },
    { 'bad name': 'x' },
    { 'Content-Length': '3' },
  ]) {
    const error = await rejection(client.send(listItems, {}, { extra: { headers } }))
    const path = `/headers/${Object.keys(headers)[0]}`
    expect(error).toMatchObject({ code: 'invalid-request', issues: [{ path }] })
  }
})

it('R-07: extra parts require a form, and extra fields require JSON', async () => {
  const client = clientFor(() => json(item))
  expect(
    await rejection(client.send(createItem, { body: {} }, { extra: { parts: { a: 1 } } })),
  ).toMatchObject({
    code: 'invalid-request',
    issues: [{ path: '/parts' }],
  })
  const { body: _, ...bare } = createItem
  const sending = client.send(bare, {} as never, { extra: { parts: { a: 1 } } })
  expect(await rejection(sending)).toMatchObject({ issues: [{ path: '/parts' }] })
  expect(
    await rejection(client.send(uploadBytes, { body: new Uint8Array(1) }, { extra: { body: { a: 1 } } })),
  ).toMatchObject({ code: 'invalid-request', issues: [{ path: '/body' }] })
  expect(await client.send(uploadBytes, {} as never)).toEqual(item)
})

it('R-07: extra fields are added to a form, and to an operation without a body', async () => {
  const { client, transport } = scene([json(item)])
  const contentType = 'application/x-www-form-urlencoded; charset=utf-8'
  const form = { ...createItem, body: { kind: 'form', contentType, required: true } } as const
  const extra = { body: { a: 1 } }
  await client.send(form, { body: { b: 2 } }, { extra })
  await client.send(form, {} as never, { extra })
  await client.send(form, {} as never)
  const { body: _, ...bare } = createItem
  await client.send(bare, {} as never, { extra })
  await client.send(bare, {} as never)
  expect(sentBy(transport)).toEqual([
    [contentType, 'b=2&a=1'],
    [contentType, 'a=1'],
    [null, ''],
    ['application/json', '{"a":1}'],
    [null, ''],
  ])
  await client.send(uploadForm, { body: { b: 2 } }, { extra: { headers: { 'content-type': 'text/plain' } } })
  expect(sentBy(transport)[5]?.[0]).toContain('multipart/form-data; boundary=')
})

it('an operation without a body sends no body, and rejects a media type for it', async () => {
  const { client, transport } = scene([json([])])
  await client.send(listItems, { body: { a: 1 } } as never)
  expect(sentBy(transport)).toEqual([[null, '']])
  const error = await rejection(client.send(listItems, { contentType: 'text/csv' } as never))
  expect(error).toMatchObject({
    issues: [
      {
        path: '/contentType',
        reason: 'has no effect, because this operation has no body; omit `contentType`',
      },
    ],
  })
})
