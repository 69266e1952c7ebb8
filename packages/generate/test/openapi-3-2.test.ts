import { expect, it } from 'vitest'

import type { ServiceModel } from '../src/normalize/model.ts'
import { departuresOf, documentOf, modelOf, printed } from './support/generated.ts'

const empty = { responses: { '204': { description: '' } } }
const read = (document: object): Promise<ServiceModel> => modelOf(documentOf(document))
const notesOf = ({ departures }: ServiceModel): string => JSON.stringify(departures)

it('operations of OpenAPI 3.2 are sent with QUERY and with methods of any name', async () => {
  const body = { content: { 'application/json': { schema: { type: 'string' } } }, required: true }
  const model = await read({
    openapi: '3.2.0',
    paths: {
      '/books': {
        query: { operationId: 'findBooks', requestBody: body, ...empty },
        additionalOperations: { COPY: { operationId: 'copyBooks', ...empty }, unLink: empty },
      },
    },
  })
  expect(
    model.operations.map(({ id, method, retry, body: sent }) => [id, method, retry.class, sent?.kind]),
  ).toEqual([
    ['findBooks', 'QUERY', 'safe', 'json'],
    ['copyBooks', 'COPY', 'unsent-only', undefined],
    ['unlinkBooks', 'unLink', 'unsent-only', undefined],
  ])
  const descriptors = (await printed(model)).get('operations.gen.ts')
  for (const method of ['QUERY', 'COPY', 'unLink']) expect(descriptors).toContain(`method: '${method}',`)
})

it.each([
  ['POST', /move it to the field `post` of the path/],
  ['TRACE', /HTTP clients can't send `TRACE`/],
  ['a b', /isn't a valid HTTP method/],
])('the additional operation %j is left out and reported', async (name, reason) => {
  const model = await read({
    openapi: '3.2.0',
    paths: { '/books': { additionalOperations: { [name]: empty } } },
  })
  expect(model.operations).toEqual([])
  expect(model.departures).toMatchObject([{ effect: 'widened' }])
  expect(notesOf(model)).toMatch(reason)
})

it('references may name a document by the address in its $self', async () => {
  const $self = 'https://books.example/api'
  const schemas = {
    Book: { type: 'object', properties: { next: { $ref: `${$self}#/components/schemas/Title` } } },
    Title: { type: 'string' },
  }
  const model = await read({ openapi: '3.2.0', $self, components: { schemas } })
  expect(model.departures).toEqual([])
  expect((await printed(model)).get('types.gen.ts')).toContain('next?: Title')
})

it('the metadata URL of an authorization server is reported as ignored', async () => {
  const oauth = { type: 'oauth2', oauth2MetadataUrl: 'https://login.example/meta', flows: { clientCredentials: { tokenUrl: 'https://login.example/token', scopes: {} } } } // prettier-ignore
  const model = await read({
    openapi: '3.2.0',
    paths: { '/a': { get: { operationId: 'find', security: [{ oauth: [] }], ...empty } } },
    components: { securitySchemes: { oauth } },
  })
  expect(notesOf(model)).toMatch(/oauth\/oauth2MetadataUrl".*use the URLs of `flows`/)
})

it('encodings of lists are reported with advice for the caller', async () => {
  const content = { 'multipart/mixed': { itemSchema: {}, itemEncoding: {}, prefixEncoding: [] } }
  const model = await read({
    openapi: '3.2.0',
    paths: { '/a': { post: { operationId: 'send', requestBody: { content }, ...empty } } },
  })
  for (const name of ['itemEncoding', 'prefixEncoding'])
    expect(notesOf(model)).toMatch(new RegExp(`multipart~1mixed/${name}".*pass the whole body`))
})

/** The model of a document with an operation that has these parameters. */
const withParameters = (parameters: readonly object[]): Promise<ServiceModel> =>
  read({ openapi: '3.2.0', paths: { '/a': { get: { operationId: 'find', parameters, ...empty } } } })

it.each([
  ['application/x-www-form-urlencoded', 'writeFormQuery'],
  ['application/json', 'writeJsonSegment'],
  ['application/jsonpath', 'writeSimple'],
])('the whole query is sent as %s', async (type, write) => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const model = await withParameters([
    { name: 'filter', in: 'querystring', required: true, content: { [type]: { schema } } },
  ])
  expect(model.operations[0]?.parameters).toEqual([{ name: 'filter', in: 'query', required: true, write }])
  expect(departuresOf(model)).toEqual([])
  const files = await printed(model)
  expect(files.get('operations.gen.ts')).toContain(`write: ${write} }`)
  expect(files.get('types.gen.ts')).toMatch(/query: \{\s+filter: \{\s+a\?: string/)
})

it.each([
  [{}, /not sent by the clients: it needs `content`/],
  [{ content: { 'multipart/form-data': {} } }, /not sent by the clients: `multipart\/form-data` can't/],
  [{ content: { 'text/plain': {}, 'text/csv': {} } }, /text~1csv".*`text\/plain` is used/],
  [{ content: { 'application/x-www-form-urlencoded': { encoding: {} } } }, /encoding".*in the style `form`/],
])('the unsupported whole query %j is reported', async (content, reason) => {
  const model = await withParameters([{ name: 'filter', in: 'querystring', ...content }])
  expect(notesOf(model)).toMatch(reason)
})

it('other parameters of the query beside the whole query are reported', async () => {
  const whole = { name: 'filter', in: 'querystring', content: { 'application/json': { schema: {} } } }
  const model = await withParameters([whole, { name: 'q', in: 'query', schema: { type: 'string' } }])
  expect(notesOf(model)).toMatch(
    /OpenAPI doesn't allow other query parameters beside `filter`, which is the whole query; clients still send all of them/,
  )
})

it.each([
  [{}, 'writeCookiesExploded'],
  [{ explode: false }, 'writeCookies'],
])('a cookie in the style `cookie` is sent without escapes: %j', async (explode, write) => {
  const model = await withParameters([
    { name: 'tags', in: 'cookie', style: 'cookie', schema: { type: 'string' }, ...explode },
  ])
  expect(model.operations[0]?.parameters).toEqual([{ name: 'tags', in: 'cookie', required: false, write }])
  expect(notesOf(model)).not.toMatch(/style/)
})
