import { describe, expect, it } from 'vitest'
import { clientFor, getItem, type GetItemInput, json, rejection } from './test-support/fixtures.ts'

const input: GetItemInput = { path: { item_id: 'a' } }
const item = { id: 'a', status: 'done' }

describe('responses that do not match the contract', () => {
  const cases: [string, () => Response, object][] = [
    [
      'HTML with a 200',
      () =>
        new Response('<html>\n  <b>Sign in</b></html>', {
          headers: { 'content-type': 'text/html; charset=utf-8' },
        }),
      { status: 200, contentType: 'text/html; charset=utf-8', excerpt: '<html> <b>Sign in</b></html>' },
    ],
    [
      'an empty 200',
      () => new Response('', { headers: { 'content-type': 'application/json' } }),
      { excerpt: '' },
    ],
    ['a 204 instead of JSON', () => new Response(null, { status: 204 }), { status: 204, excerpt: '' }],
    [
      'truncated JSON',
      () => new Response('{"id": "a", "sta', { headers: { 'content-type': 'application/json' } }),
      { excerpt: '{"id": "a", "sta' },
    ],
    [
      'a long text',
      () => new Response('x'.repeat(5000), { headers: { 'content-type': 'text/plain' } }),
      { excerpt: `${'x'.repeat(200)}…` },
    ],
  ]
  it.each(cases)(
    'R-04: %s is an error with status, content type and excerpt',
    async (_, respond, expected) => {
      const error = await rejection(clientFor(respond).send(getItem, input))
      expect(error).toMatchObject({ code: 'unexpected-content', operation: 'getItem', ...expected })
    },
  )

  it('R-04: JSON of a custom media type, or without one, is JSON', async () => {
    const types = ['application/json; charset=utf-8', 'application/problem+json', undefined]
    for (const type of types) {
      const client = clientFor(() => {
        const response = new Response(new TextEncoder().encode(JSON.stringify(item)))
        if (type !== undefined) response.headers.set('content-type', type)
        return response
      })
      expect(await client.send(getItem, input)).toEqual(item)
    }
  })

  it('R-04: bytes that are not UTF-8 are an error, but a replacement character in the body is not', async () => {
    const answers = [
      Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d),
      new TextEncoder().encode('{"id":"\uFFFD","status":""}'),
    ]
    const client = clientFor(
      () => new Response(answers.shift(), { headers: { 'content-type': 'application/json' } }),
    )
    const error = await rejection(client.send(getItem, input))
    expect(error).toMatchObject({ code: 'unexpected-content' })
    expect(String(error)).toContain('the body is not text in UTF-8')
    expect(await client.send(getItem, input)).toEqual({ id: '\uFFFD', status: '' })
  })

  it('R-04: a body of millions of empty objects does not take gigabytes of memory', async () => {
    const client = clientFor(
      () =>
        new Response(`[${'{},'.repeat(4_000_000)}{}]`, { headers: { 'content-type': 'application/json' } }),
    )
    const error = await rejection(client.send(getItem, input))
    expect(String(error)).toContain('more than 4000000 objects and arrays, so it was not read')
  })

  it('R-04: a byte order mark is not part of the JSON', async () => {
    const client = clientFor(
      () =>
        new Response(`\uFEFF${JSON.stringify(item)}`, { headers: { 'content-type': 'application/json' } }),
    )
    expect(await client.send(getItem, input)).toEqual(item)
  })

  it('R-04: an error status with HTML is still that error, with the HTML as its body', async () => {
    const client = clientFor(
      () => new Response('<html>', { status: 404, headers: { 'content-type': 'text/html' } }),
    )
    expect(await rejection(client.send(getItem, input))).toMatchObject({
      name: 'NotFoundError',
      body: '<html>',
    })
  })

  it('R-04: no excerpt is shown if the contract marks anything in the response as secret', async () => {
    const operation = { ...getItem, secrets: ['token'] }
    const client = clientFor(
      () => new Response('{"token": "s3cr3t-s3cr3t', { headers: { 'content-type': 'application/json' } }),
    )
    const error = await rejection(client.send(operation, input))
    expect(error).toMatchObject({ code: 'unexpected-content', excerpt: '' })
  })

  it('rejects a response above maxResponseBytes', async () => {
    const client = clientFor(() => json({ text: 'x'.repeat(500) }), { maxResponseBytes: 100 })
    const error = await rejection(client.send(getItem, input))
    expect(error).toMatchObject({ code: 'unexpected-content', status: 200 })
    expect(String(error)).toContain('maxResponseBytes')
  })
})

describe('statuses', () => {
  const cases = [
    [302, 'ApiError'],
    [400, 'BadRequestError'],
    [401, 'AuthenticationError'],
    [403, 'PermissionDeniedError'],
    [404, 'NotFoundError'],
    [409, 'ApiError'],
    [413, 'PayloadTooLargeError'],
    [429, 'RateLimitedError'],
    [500, 'ServerError'],
    [504, 'ServerError'],
  ] as const
  it.each(cases)('a %i is a %s', async (status, name) => {
    const client = clientFor(() => json({ detail: 'no' }, { status }), { retry: { maxAttempts: 1 } })
    const error = await rejection(client.send(getItem, input))
    expect(error).toMatchObject({ name, status, code: 'http', operation: 'getItem', body: { detail: 'no' } })
  })

  it('a service can set the message and the class of an error', async () => {
    const client = clientFor(() => json({ detail: 'the file is torn' }, { status: 400 }), {
      explain: (body) => (body as { detail: string }).detail,
    })
    expect(String(await rejection(client.send(getItem, input)))).toContain('the file is torn')
  })
})

describe('raw access', () => {
  const headers = { 'x-trace': 'r-1', 'x-left': '41', 'x-reset': 'soon', 'content-type': 'application/json' }
  const options = {
    requestIdHeader: 'X-Trace',
    quotaHeaders: { left: 'X-Left', reset: 'X-Reset', used: 'X-Used' },
  }

  it('R-06: exchange() returns status, headers, request id, quota and raw body of a success', async () => {
    const raw = '{"id":"a",  "status":"done"}'
    const client = clientFor(() => new Response(raw, { status: 200, headers }), options)
    const exchange = await client.exchange(getItem, input)
    expect(exchange).toMatchObject({ data: item, status: 200, requestId: 'r-1', attempts: 1 })
    expect(exchange.quota).toEqual({ left: 41 })
    expect(exchange.headers.get('x-left')).toBe('41')
    expect(exchange.headers).toBe(exchange.headers)
    expect(exchange.text()).toBe(raw)
    expect(new TextDecoder().decode(exchange.bytes())).toBe(raw)
  })

  it('R-06: every error from a response has the same details', async () => {
    const client = clientFor(() => new Response('{"detail":"no"}', { status: 409, headers }), options)
    const error = await rejection(client.send(getItem, input))
    expect(error).toMatchObject({ status: 409, requestId: 'r-1', quota: { left: 41 }, attempts: 1 })
    expect(error).toMatchObject({ text: '{"detail":"no"}', body: { detail: 'no' } })
    expect((error as { headers: Headers }).headers.get('x-left')).toBe('41')
  })

  it('R-06: reads only headers that the caller named', async () => {
    const exchange = await clientFor(() => json(item, { headers })).exchange(getItem, input)
    expect(exchange.requestId).toBeUndefined()
    expect(exchange.quota).toBeUndefined()
  })
})
