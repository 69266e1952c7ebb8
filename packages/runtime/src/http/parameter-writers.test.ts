import { describe, expect, it } from 'vitest'
import type { OperationDescriptor } from '../core/descriptors.ts'
import type { SeenRequest } from '../testing/transports.ts'
import {
  type ParameterWriter,
  writeCommas,
  writeCookies,
  writeCookiesExploded,
  writeDeepObject,
  writeForm,
  writeFormQuery,
  writeHeader,
  writeHeaderExploded,
  writeJson,
  writeJsonHeader,
  writeJsonSegment,
  writeLabel,
  writeLabelExploded,
  writeMatrix,
  writeMatrixExploded,
  writePipes,
  writeSimple,
  writeSimpleExploded,
  writeSpaces,
} from './parameter-writers.ts'
import { clientFor, scene } from './test-support/clients.ts'
import { createItem, getItem, input, json, rejection } from './test-support/fixtures.ts'

const list = ['blue', 'black', 'brown']
const members = { R: 100, G: 200, B: 150 }

/** "Style Examples" of OpenAPI 3.1 and 3.2: an empty string, a string, an array and an object called `color`. */
const examples: Readonly<Record<string, readonly [ParameterWriter, ...(string | undefined)[]]>> = {
  'matrix': [writeMatrix, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  'matrix, exploded': [writeMatrixExploded, ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
  'label': [writeLabel, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  'label, exploded': [writeLabelExploded, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  'simple': [writeSimple, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  'simple, exploded': [writeSimpleExploded, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  'simple in a header': [writeHeader, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  'simple in a header, exploded': [writeHeaderExploded, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  'form': [writeCommas, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  'form, exploded': [writeForm, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  'form as the whole query': [writeFormQuery, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  'cookie': [writeCookies, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  'cookie, exploded': [writeCookiesExploded, 'color=', 'color=blue', 'color=blue; color=black; color=brown', 'R=100; G=200; B=150'],
  'spaceDelimited': [writeSpaces, undefined, undefined, 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  'pipeDelimited': [writePipes, undefined, undefined, 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  'deepObject': [writeDeepObject, undefined, undefined, undefined, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
} // prettier-ignore

describe('a parameter is written as OpenAPI shows it, in the style', () => {
  it.each(Object.entries(examples).map(([style, [write, ...expected]]) => ({ style, write, expected })))(
    '$style',
    ({ write, expected }) => {
      for (const [index, value] of ['', 'blue', list, members].entries()) {
        const responseMode = expected[index]
        if (responseMode !== undefined) expect(write('color', value)).toBe(responseMode)
      }
    },
  )
})

describe('a parameter', () => {
  const all = Object.values(examples).map(([write]) => write)

  it('is not sent in any style if it is missing or an empty list', () => {
    for (const write of all) for (const value of [undefined, null, []]) expect(write('a', value)).toBe(undefined)
  })

  it('is escaped in every style but in headers and that of cookies, its name and the names of its members included', () => {
    const plain = new Set<ParameterWriter>([writeHeader, writeHeaderExploded, writeCookies, writeCookiesExploded])
    for (const write of all.filter((each) => !plain.has(each))) {
      for (const value of ['a&b=c/d?e#f;g.h,i', ['&', '/', ','], { '&/': '&/', '#': '?' }])
        expect(write('&n', value)).toMatch(/^(?:[\w.;,&=*()!'~-]|%[0-9A-F]{2})*$/)
      expect(write('n', '&a')).not.toContain('&a')
      expect(write('n', '/')).not.toContain('/')
    }
    expect(writeHeader('n', ['a b', 'c/d'])).toBe('a b,c/d')
  })

  it('whose content is JSON is written as JSON', () => {
    expect(writeJson('f', { a: [1, 'b'] })).toBe('f=%7B%22a%22%3A%5B1%2C%22b%22%5D%7D')
    expect(writeJsonSegment('f', 'a/b')).toBe('%22a%2Fb%22')
    expect(writeJsonHeader('f', { a: 1 })).toBe('{"a":1}')
    for (const write of [writeJson, writeJsonSegment, writeJsonHeader]) expect(write('f', undefined)).toBe(undefined)
  })

  it('may be an object of objects and lists in the style deepObject', () => {
    expect(writeDeepObject('f', { a: { b: [1, 2] }, c: undefined, d: null, e: true })).toBe(
      'f%5Ba%5D%5Bb%5D=1&f%5Ba%5D%5Bb%5D=2&f%5Be%5D=true',
    )
  })

  it('leaves out the members that are missing', () => {
    expect(writeCommas('f', { a: undefined, b: null, c: 1 })).toBe('f=c,1')
  })

  it('may hold a date', () => {
    expect(writeCommas('at', [new Date(0)])).toBe('at=1970-01-01T00%3A00%3A00.000Z')
  })
}) // prettier-ignore

/** The request that a call sends. */
async function sent<Input>(operation: OperationDescriptor<Input>, input: Input): Promise<SeenRequest> {
  const { client, transport } = scene([json({ id: 'a', status: 'done' })])
  await client.send(operation, input)
  return transport.requests[0]!
}

const styled: OperationDescriptor<{
  readonly path: object
  readonly query?: object
  readonly headers?: object
  readonly cookies?: object
}> = {
  ...getItem,
  parameters: [
    { name: 'item_id', in: 'path', required: true, write: writeMatrix },
    { name: 'filter', in: 'query', required: false, write: writeDeepObject },
    { name: 'plain', in: 'query', required: false },
    { name: 'X-Range', in: 'header', required: false, write: writeHeaderExploded },
    { name: 'X-Plain', in: 'header', required: false },
    { name: 'session', in: 'cookie', required: false },
    { name: 'tags', in: 'cookie', required: false, write: writeCommas },
  ],
}
const path = { item_id: ['a', 'b/c'] }

it('query parameters follow a query that is part of the path', async () => {
  const draft = { ...styled, path: `${styled.path}?draft=true` }
  const start = 'http://service.test/v1/items/;item_id=a,b%2Fc?draft=true'
  expect((await sent(draft, { path, query: { plain: 'x' } })).url).toBe(`${start}&plain=x`)
  expect((await sent(draft, { path })).url).toBe(start)
})

it('parameters are written by their own writers, in a path, a query, a header and a cookie', async () => {
  const { url, headers } = await sent(styled, {
    path,
    query: { filter: { a: { b: 1 } }, plain: 'x y' },
    headers: { 'X-Range': { from: 1, to: 2 } },
    cookies: { session: 'a;b=c', tags: ['x', 'y'] },
  })
  expect(url).toBe('http://service.test/v1/items/;item_id=a,b%2Fc?filter%5Ba%5D%5Bb%5D=1&plain=x%20y')
  expect(headers.get('x-range')).toBe('from=1,to=2')
  expect(headers.get('cookie')).toBe('session=a%3Bb%3Dc; tags=x,y')
})

it('parameters are left out if they are missing', async () => {
  const { url, headers } = await sent(styled, { path, query: { filter: {} }, cookies: {} })
  expect(url).toBe('http://service.test/v1/items/;item_id=a,b%2Fc')
  expect([headers.get('x-range'), headers.get('cookie')]).toEqual([null, null])
  const few = (await sent(styled, { path, headers: { 'X-Plain': 'p', 'X-Range': { from: 1 } } })).headers
  expect([few.get('x-plain'), few.get('x-range'), few.get('cookie')]).toEqual(['p', 'from=1', null])
  expect(few.get('accept')).toBe('application/json')
})

it('parameters are found by their place and their name', async () => {
  const mixed = {
    ...getItem,
    parameters: [
      { name: 'item_id', in: 'query', required: false, write: writeDeepObject },
      { name: 'other', in: 'path', required: true, write: writeMatrix },
      { name: 'item_id', in: 'path', required: true },
    ],
  } as const
  expect((await sent(mixed, { path: { item_id: 'a' } })).url).toBe('http://service.test/v1/items/a')
  const undescribed = { ...getItem, parameters: [] }
  expect((await sent(undescribed, { path: { item_id: 'a' } })).url).toBe('http://service.test/v1/items/a')
  const error = await rejection(sent(getItem, {} as never))
  expect(error).toMatchObject({ issues: [{ path: '/path/item_id' }] })
})

it.each([
  [{ path: { item_id: '\ud800' } }, '/path/item_id'],
  [{ path, query: { filter: { a: '\ud800' } } }, '/query/filter'],
  [{ path, cookies: { session: '\ud800' } }, '/cookies/session'],
  [{ path, cookies: { tags: ['\ud800'] } }, '/cookies/tags'],
])('R-05: rejects half of a surrogate pair in a parameter with a style: %j', async (input, place) => {
  const client = clientFor(() => json({}))
  expect(await rejection(client.send(styled, input))).toMatchObject({
    code: 'invalid-request',
    issues: [{ path: place }],
  })
})

it.each([
  ['a form', writeFormQuery, { 'a b': 'x y+z', list: [1, 2] }, '?a+b=x+y%2Bz&list=1&list=2'],
  ['JSON', writeJsonSegment, { a: [1, '&'] }, '?%7B%22a%22%3A%5B1%2C%22%26%22%5D%7D'],
  ['a string', writeSimple, '$.a[1]', '?%24.a%5B1%5D'],
])('a parameter that is the whole query is sent as %s, without its name', async (_, write, filter, query) => {
  const parameters = [...getItem.parameters, { name: 'filter', in: 'query', required: true, write } as const]
  const { url } = await sent<object>(
    { ...getItem, parameters },
    { path: { item_id: 'a' }, query: { filter } },
  )
  expect(url).toBe(`http://service.test/v1/items/a${query}`)
})

it('a cookie in the style `cookie` is not escaped, and cannot begin another cookie', async () => {
  const parameters = [
    ...getItem.parameters,
    { name: 'session', in: 'cookie', required: false, write: writeCookiesExploded } as const,
    { name: 'tags', in: 'cookie', required: false, write: writeCookies } as const,
  ]
  const input = { path: { item_id: 'a' }, cookies: { session: 'a=b%20"c"; admin=1', tags: ['x', 'y;z'] } }
  const { headers } = await sent<object>({ ...getItem, parameters }, input)
  expect(headers.get('cookie')).toBe('session=a=b%20"c"%3B admin=1; tags=x,y%3Bz')
})

const form: OperationDescriptor<{ readonly body: object }> = {
  ...createItem,
  body: {
    kind: 'form',
    contentType: 'application/x-www-form-urlencoded',
    required: true,
    parts: {
      codes: { kind: 'text', write: writeCommas },
      filter: { kind: 'text', write: writeDeepObject },
    },
  },
}

it('a form is sent as WHATWG URL writes forms, with each field in its style', async () => {
  const body = {
    'a b': 'x y+z&é',
    list: [1, 2],
    codes: ['p', 'q'],
    filter: { k: 'v' },
    gone: undefined,
    none: null,
  }
  const { headers, body: text } = await sent(form, { body })
  expect(headers.get('content-type')).toBe('application/x-www-form-urlencoded')
  expect(text).toBe('a+b=x+y%2Bz%26%C3%A9&list=1&list=2&codes=p,q&filter%5Bk%5D=v')
  expect([...new URLSearchParams(text)]).toEqual([
    ['a b', 'x y+z&é'],
    ['list', '1'],
    ['list', '2'],
    ['codes', 'p,q'],
    ['filter[k]', 'v'],
  ])
})

it('a form is rejected if a field cannot be written', async () => {
  const client = clientFor(() => json({}))
  expect(await rejection(client.send(form, { body: { a: '\ud800' } }))).toMatchObject({
    issues: [{ path: '/body/a' }],
  })
})

const ranged: OperationDescriptor<{ readonly path: { readonly item_id: string } }> = {
  ...getItem,
  responses: {
    '2XX': { kind: 'text', contentType: 'text/plain' },
    201: { kind: 'json', contentType: 'application/json' },
    '4XX': { kind: 'json' },
    default: { kind: 'text' },
  },
}
const text = (body: string, status: number) =>
  new Response(body, { status, headers: { 'content-type': 'text/plain' } })

it('a response is read by the range of its status, unless the status itself is documented', async () => {
  expect(await clientFor(() => text('yes', 206)).send(ranged, input)).toBe('yes')
  expect(await clientFor(() => json({ a: 1 }, { status: 201 })).send(ranged, input)).toEqual({ a: 1 })
  const missing = await rejection(
    clientFor(() => json({ detail: 'no' }, { status: 404 })).send(ranged, input),
  )
  expect(missing).toMatchObject({ status: 404, body: { detail: 'no' } })
})
