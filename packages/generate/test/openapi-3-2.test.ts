import { expect, it } from 'vitest'

import type { ServiceModel } from '../src/normalize/model.ts'
import { readService } from '../src/normalize/service.ts'
import { documentOf, printed } from './support/generated.ts'

const empty = { responses: { '204': { description: '' } } }
const read = (document: object): Promise<ServiceModel> =>
  readService(documentOf(document), undefined, { strict: false })
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
  ['POST', /belongs into `post` of the path/],
  ['TRACE', /no client of HTTP can send/],
  ['a b', /not the name of a method/],
])('the additional operation %j is left out and reported', async (name, reason) => {
  const model = await read({
    openapi: '3.2.0',
    paths: { '/books': { additionalOperations: { [name]: empty } } },
  })
  expect(model.operations).toEqual([])
  expect(model.departures).toMatchObject([{ effect: 'widened' }])
  expect(notesOf(model)).toMatch(reason)
})

it('encodings of lists are reported with what a caller has to do', async () => {
  const content = { 'multipart/mixed': { itemSchema: {}, itemEncoding: {}, prefixEncoding: [] } }
  const model = await read({
    openapi: '3.2.0',
    paths: { '/a': { post: { operationId: 'send', requestBody: { content }, ...empty } } },
  })
  for (const name of ['itemEncoding', 'prefixEncoding'])
    expect(notesOf(model)).toMatch(new RegExp(`multipart~1mixed/${name}".*passes the whole body`))
})
