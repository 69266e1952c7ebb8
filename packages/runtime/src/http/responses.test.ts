import { expect, it } from 'vitest'
import type { HeaderKind, OperationDescriptor } from '../core/descriptors.ts'
import { ApiError } from '../core/errors.ts'
import type { ClientOptions } from './client-options.ts'
import { readHeaders } from './headers.ts'
import { clientFor, reply } from './test-support/clients.ts'
import { getItem, input, item, json, KEY, rejection } from './test-support/fixtures.ts'
import { headerValue, toHeaders } from './transport.ts'

const JSON_TYPE = 'application/json'

const unreadable: [string, () => Response, object][] = [
  [
    'HTML with a 200',
    () => reply('<html>\n  <b>Sign in</b></html>', 'text/html; charset=utf-8'),
    {
      status: 200,
      contentType: 'text/html; charset=utf-8',
      excerpt: '<html> <b>Sign in</b></html>',
      message: expect.stringContaining(
        'the media type is text/html, and the contract requires application/json',
      ),
    },
  ],
  [
    'an empty 200',
    () => reply('', JSON_TYPE),
    { excerpt: '', message: expect.stringContaining('the body is empty, and the contract requires JSON') },
  ],
  ['a 204 instead of JSON', () => new Response(null, { status: 204 }), { status: 204, excerpt: '' }],
  [
    'truncated JSON',
    () => reply('{"id": "a", "sta', JSON_TYPE),
    { excerpt: '{"id": "a", "sta', message: expect.stringContaining('the body is not valid JSON') },
  ],
  ['a long text', () => reply('x'.repeat(5000), 'text/plain'), { excerpt: `${'x'.repeat(200)}…` }],
  [
    'bytes that are not UTF-8',
    () => reply(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), JSON_TYPE),
    { message: expect.stringContaining('the body is not text in UTF-8') },
  ],
  [
    // It would take gigabytes of memory.
    'a body of millions of empty objects',
    () => reply(`[${'{},'.repeat(4_000_000)}{}]`, JSON_TYPE),
    { message: expect.stringContaining('more than 4000000 objects and arrays, so it was not read') },
  ],
  [
    'a body with a secret, which is removed before the excerpt is truncated',
    () => reply(`<p>${' '.repeat(786)}${KEY}`, 'text/html'),
    { excerpt: '<p> [redacted]' },
  ],
]

it.each(unreadable)(
  'R-04, R-11: %s is an UnexpectedContentError with status, content type and excerpt',
  async (_, respond, expected) => {
    const error = await rejection(clientFor(respond).send(getItem, input))
    expect(error).toMatchObject({ code: 'unexpected-content', operation: 'getItem', ...expected })
  },
)

it('R-04: an error status with HTML is still that error, with the HTML as its body', async () => {
  const client = clientFor(() => reply('<html>', 'text/html', { status: 404 }))
  expect(await rejection(client.send(getItem, input))).toMatchObject({
    name: 'NotFoundError',
    body: '<html>',
  })
})

it('R-04: the error for a body that is not a media file says what is expected instead', async () => {
  const media = { kind: 'binary', contentType: 'audio/mpeg', isMedia: true } as const
  const responses: [OperationDescriptor['responses'][200], string, string][] = [
    [media, 'text/html', 'the media type is text/html, and the contract requires a media file'],
    [media, 'audio/mpeg', 'the body is empty, and the contract requires a media file'],
    [
      { kind: 'text', contentType: 'text/vtt' },
      'audio/mpeg',
      'audio/mpeg, and the contract requires text/vtt',
    ],
  ]
  for (const [descriptor, type, problem] of responses) {
    const client = clientFor(() => reply(new Uint8Array(0), type))
    const operation = { ...getItem, responses: { 200: descriptor } } as never
    expect(await rejection(client.send(operation, input as never))).toMatchObject({
      code: 'unexpected-content',
      message: expect.stringContaining(problem),
    })
  }
})

it('R-11: an unreadable error body is quoted only if the contract marks nothing as secret', async () => {
  const client = clientFor(() => reply('out of paper', 'text/plain', { status: 409 }))
  expect(String(await rejection(client.send(getItem, input)))).toContain('The service says: out of paper')
  const error = await rejection(client.send({ ...getItem, secrets: ['token'] }, input))
  expect(error).toMatchObject({ status: 409, body: 'out of paper' })
  expect(String(error)).not.toContain('paper')
})

it('R-04: no excerpt is shown if the contract marks anything in the response as secret', async () => {
  const operation = { ...getItem, secrets: ['token'] }
  const client = clientFor(() => reply('{"token": "s3cr3t-s3cr3t', JSON_TYPE))
  const error = await rejection(client.send(operation, input))
  expect(error).toMatchObject({ code: 'unexpected-content', excerpt: '' })
})

const statuses = [
  [300, 'ApiError', 'The response is a redirect'],
  [302, 'ApiError', 'The response is a redirect'],
  [400, 'BadRequestError', 'sending it again will not help'],
  [401, 'AuthenticationError', 'Check which credential was passed to the client'],
  [403, 'PermissionDeniedError', ''],
  [404, 'NotFoundError', 'Check the identifiers and the base URL'],
  [409, 'ApiError', 'The request was rejected.'],
  [413, 'PayloadTooLargeError', ''],
  [429, 'RateLimitedError', 'Try again later'],
  [500, 'ServerError', 'not in your request'],
  [504, 'ServerError', 'not in your request'],
] as const
it.each(statuses)('a response of %i is a %s', async (status, name, advice) => {
  const client = clientFor(() => json({ detail: 'no' }, { status }), { retry: { maxAttempts: 1 } })
  const error = await rejection(client.send(getItem, input))
  expect(error).toMatchObject({ name, status, code: 'http', operation: 'getItem', body: { detail: 'no' } })
  expect(String(error)).toContain(advice)
  expect(String(error)).toMatch(/ The service says: no$/)
})

it('a service can set the message and the class of an error', async () => {
  const torn = () => json({ detail: 'the file is torn', own: 'page 3' }, { status: 400 })
  const own = clientFor(torn, { explain: (body) => (body as { own: string }).own })
  expect(String(await rejection(own.send(getItem, input)))).toMatch(/ The service says: page 3$/)
  const none = clientFor(torn, { explain: () => '' })
  expect(String(await rejection(none.send(getItem, input)))).toMatch(/ The service says: the file is torn$/)
  for (const wrong of [() => JSON.parse('{') as string, () => 7 as unknown as string]) {
    const error = await rejection(clientFor(torn, { explain: wrong }).send(getItem, input))
    expect(error).toMatchObject({ name: 'BadRequestError', status: 400 })
    expect(String(error)).toMatch(/ The service says: the file is torn$/)
  }
  const throwing: ClientOptions['refineError'] = () => JSON.parse('{') as never
  expect(await rejection(clientFor(torn, { refineError: throwing }).send(getItem, input))).toMatchObject({
    name: 'BadRequestError',
    status: 400,
  })
  class TornError extends ApiError {}
  const refineError: ClientOptions['refineError'] = (text, response) =>
    response.status === 400 ? new TornError(text, response) : undefined
  const refined = await rejection(clientFor(torn, { refineError }).send(getItem, input))
  expect(refined).toBeInstanceOf(TornError)
  expect(String(refined)).toContain('the file is torn')
  const other = clientFor(() => json({}, { status: 404 }), { refineError })
  const unchanged = await rejection(other.send(getItem, input))
  expect(unchanged).toMatchObject({ name: 'NotFoundError' })
  expect(String(unchanged)).not.toContain('The service says')
})

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
  expect(exchange.headerValues).toEqual({})
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

it('R-06: reads only headers that the caller named, and those of the contract', async () => {
  const exchange = await clientFor(() => json(item, { headers })).exchange(getItem, input)
  expect('requestId' in exchange).toBe(false)
  expect('quota' in exchange).toBe(false)
  const blank = clientFor(() => json(item, { headers: { 'x-left': ' ', 'x-used': ' 7 ' } }), options)
  expect((await blank.exchange(getItem, input)).quota).toEqual({ used: 7 })
  const described = {
    kinds: { 'X-Left': 'number' },
    read: readHeaders,
    check: { accepts: () => true },
  } as never
  const operation = { ...getItem, responses: { 200: { kind: 'json', headers: described } } } as const
  const typed = await clientFor(() => json(item, { headers })).exchange(operation as never, input as never)
  expect(typed.headerValues).toEqual({ 'X-Left': 41 })
})

it.each<[HeaderKind, string, unknown]>([
  ['string', ' a, b ', 'a, b'],
  ['number', '7', 7],
  ['number', '-12.50', -12.5],
  ['number', '1e3', 1000],
  ['number', '10E-12', 1e-11],
  ['number', '1.5e+10', 1.5e10],
  ['number', 'x7', 'x7'],
  ['number', '7x', '7x'],
  ['number', '1.', '1.'],
  ['number', '', ''],
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  ['boolean', 'yes', 'yes'],
  ['json', '{"a":[1]}', { a: [1] }],
  ['json', '{', '{'],
  ['strings', 'a , b', ['a', 'b']],
  ['strings', '', []],
  ['numbers', '1, x', [1, 'x']],
  ['booleans', 'true,false', [true, false]],
])('a header of the kind %s with the text `%s` is %j', (kind, text, expected) => {
  expect(readHeaders({ 'x-a': text }, { 'X-A': kind })).toEqual({ 'X-A': expected })
})

it('a header that is missing is left out, and several values are one list', () => {
  expect(Object.keys(readHeaders({}, { 'X-A': 'number', 'X-B': 'strings' }))).toEqual([])
  const raw = { 'x-a': ['1', '2'], 'x-b': '3', 'x-c': undefined }
  expect(readHeaders(raw, { 'X-A': 'numbers' })).toEqual({ 'X-A': [1, 2] })
  expect([headerValue(raw, 'x-a'), headerValue(raw, 'x-b'), headerValue(raw, 'x-c')]).toEqual([
    '1, 2',
    '3',
    undefined,
  ])
  expect([...toHeaders({ 'set-cookie': ['a=1', 'b=2'], 'x-b': '3', 'x-c': undefined })]).toEqual([
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
    ['x-b', '3'],
  ])
})
