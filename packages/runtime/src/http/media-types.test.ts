import { expect, it } from 'vitest'

import type { NegotiatedOperation, OperationDescriptor } from '../core/descriptors.ts'
import { accepting, negotiate, negotiateExchange } from './accepting.ts'
import { clientFor, scene } from './test-support/clients.ts'
import {
  createItem,
  getItem,
  type GetItemInput,
  type Item,
  json,
  rejection,
} from './test-support/fixtures.ts'

type Input = { readonly contentType?: string; readonly body: unknown }
const create: OperationDescriptor<Input, Item> = {
  ...createItem,
  body: {
    kind: 'json',
    contentType: 'application/json',
    required: true,
    others: [
      { kind: 'form', contentType: 'application/x-www-form-urlencoded', required: true },
      { kind: 'text', contentType: 'text/csv', required: true },
      { kind: 'multipart', contentType: 'multipart/form-data', required: true },
      { kind: 'binary', contentType: 'image/*', required: true },
    ],
  },
}
const sent = async (input: Input): Promise<readonly [string | null | undefined, string | undefined]> => {
  const { client, transport } = scene([json({ id: 'a', status: 'done' })])
  await client.send(create, input)
  const [request] = transport.requests
  return [request?.headers.get('content-type'), request?.body]
}

it.each([
  [undefined, { a: 1 }, ['application/json', '{"a":1}']],
  [
    'application/x-www-form-urlencoded',
    { a: 1, b: 'x y' },
    ['application/x-www-form-urlencoded', 'a=1&b=x+y'],
  ],
  ['text/csv; header=present', 'a,b', ['text/csv; header=present', 'a,b']],
  ['image/png', new Blob(['b'], { type: 'image/gif' }), ['image/png', 'b']],
])('encodes a body in the media type that the caller chooses: %s', async (contentType, body, expected) => {
  expect(await sent(contentType === undefined ? { body } : { contentType, body })).toEqual(expected)
})

it('keeps the boundary of a form whose media type the caller chooses', async () => {
  const [type, text] = await sent({ contentType: 'multipart/form-data', body: { a: 'b' } })
  expect(type).toMatch(/^multipart\/form-data; boundary=\S+$/)
  expect(text).toContain('name="a"')
})

it('sends no body in a media type that the contract lacks', async () => {
  const error = await rejection(sent({ contentType: 'text/html', body: '' }))
  expect(String(error)).toMatch(/\/contentType: must be one of application\/json, .*image\/\*/)
  const one = clientFor(() => json({}))
  const input = { contentType: 'text/csv', body: {} }
  await expect(one.send(createItem, input)).rejects.toThrow(/\/contentType: must be one of application\/json/)
})

type Responses = OperationDescriptor['responses']
const error = { 400: { kind: 'text', contentType: 'text/html' }, 503: { kind: 'binary' } } as const
const rows: [string, string, Responses][] = [
  ['application/json', 'gzip, br', { 200: { kind: 'json' }, 204: { kind: 'empty' } }],
  [
    'application/x+json, application/json',
    'gzip, br',
    { 200: { kind: 'json', contentType: 'application/x+json' } },
  ],
  ['text/csv, application/json', 'gzip, br', { 200: { kind: 'text', contentType: 'text/csv' } }],
  ['*/*, application/json', 'identity', { 202: { kind: 'binary' }, 200: { kind: 'json' } }],
  [
    'text/event-stream, application/json',
    'identity',
    { '2XX': { kind: 'items', contentType: 'text/event-stream' } },
  ],
  ['*/*, application/json', 'gzip, br', { 200: { kind: 'any' } }],
]
it.each(rows)(
  'R-04: the accept headers of a request are `%s` and `%s`',
  async (accept, coding, responses) => {
    const { client, transport } = scene([json({}, { status: 404 })])
    await rejection(client.send({ ...createItem, responses: { ...responses, ...error } }, { body: {} }))
    const [request] = transport.requests
    expect(request?.headers.get('accept')).toBe(accept)
    expect(request?.headers.get('accept-encoding')).toBe(coding)
  },
)

const get: NegotiatedOperation<
  GetItemInput,
  Item,
  unknown,
  { 'application/json': Item; 'text/csv': string }
> = {
  ...getItem,
  responses: {
    ...getItem.responses,
    200: {
      ...getItem.responses['200']!,
      others: { 'text/csv': { kind: 'text', contentType: 'text/csv' } },
    },
    202: { kind: 'empty' },
  },
}
const input = { path: { item_id: '1' } }
const respond = (request: Request): Response => {
  const [first = ''] = (request.headers.get('accept') ?? '').split(', ')
  return first === 'text/csv'
    ? new Response('a,b', { headers: { 'content-type': 'text/csv' } })
    : json({ id: 'a', status: 'done' })
}

it('reads a success as the media type that is asked for, or else as the first one', async () => {
  const client = clientFor(respond)
  expect((await client.send(get, input)).id).toBe('a')
  expect(await client.send(accepting(get, 'text/csv'), input)).toBe('a,b')
  expect(await negotiate(client.send, get, input, { accept: 'text/csv', maxAttempts: 1 })).toBe('a,b')
  expect(await negotiate(client.send, get, input, undefined)).toEqual({ id: 'a', status: 'done' })
  const { data, status } = await negotiateExchange(client.exchange, get, input, { accept: 'text/csv' })
  expect([data, status]).toEqual(['a,b', 200])
})

it('accepting() returns the same operation each time, so that it is prepared once', () => {
  const fresh = { ...get }
  expect(accepting(fresh, 'text/csv')).toBe(accepting(fresh, 'text/csv'))
  expect(accepting(fresh, 'text/csv')).not.toBe(accepting(fresh, 'application/json'))
})

it('accepting() changes only the responses that have the media type', () => {
  const headers = { kinds: {}, read: () => ({}), check: {} } as never
  const json = { kind: 'json', contentType: 'application/json' } as const
  const csv = { kind: 'text', contentType: 'text/csv' } as const
  const responses = {
    200: { ...json, headers, others: { 'text/csv': csv } },
    201: json,
    202: { kind: 'empty' },
    400: { ...csv, contentType: 'text/html' },
    '4XX': { ...json, others: { 'text/csv': csv } },
  } as const
  const operation = { ...get, responses } as never as typeof get
  expect(accepting(operation, 'text/csv').responses).toEqual({
    ...responses,
    200: { ...csv, headers },
    '4XX': csv,
  })
  expect(accepting(operation, 'text/csv').responses['202']).toBe(responses[202])
  expect(accepting(operation, 'application/json').responses).toEqual(responses)
  const only = { ...get, responses: { 201: json, 204: { kind: 'empty' } } } as never as typeof get
  expect(accepting(only, 'application/json').responses).toEqual(only.responses)
  expect(() => accepting(only, 'undefined' as never)).toThrow(
    /Pass one of these media types: application\/json\.$/,
  )
  expect(() => accepting(get, 'text/html' as never)).toThrow(
    /no success response of the media type `text\/html`.*application\/json, text\/csv/,
  )
})
