import { afterAll, beforeAll, expect, it } from 'vitest'

import { startContractMock, tryMistakes, type ContractSubject, type FindingCode } from '../src/index.ts'
import {
  booksSubject,
  rightDescriptors,
  rightSchemas,
  type Descriptor,
  type SenderMistakes,
} from './fixture/client.ts'
import { library as spec } from './fixture/record.ts'

type Schemas = ReturnType<typeof rightSchemas>

let prism: Awaited<ReturnType<typeof startContractMock>>
beforeAll(async () => {
  prism = await startContractMock(spec)
})
afterAll(() => prism.close())

/** A subject with a mistake in one operation. */
const described = (id: string, change: (operation: Descriptor) => void) => (): ContractSubject => {
  const descriptors = rightDescriptors()
  change(descriptors[id] as Descriptor)
  return booksSubject(descriptors)
}
const secured = (id: string, ...schemes: string[]) => described(id, (o) => (o.security = schemes))
const responds = (id: string, responses: Descriptor['responses']) =>
  described(id, (o) => Object.assign(o.responses, responses))
const parts = (changed: Descriptor['parts']) =>
  described('putCover', (o) => Object.assign(o.parts ?? {}, changed))
/** A subject with a wrong schema, as after a mistake of a generator. */
// oxlint-disable-next-line typescript/no-explicit-any -- schemas are changed in ways that no type allows
const schema = (name: string, change: (schema: any, schemas: Schemas) => void) => (): ContractSubject => {
  const schemas = rightSchemas()
  change(schemas[name], schemas)
  return booksSubject(rightDescriptors(), schemas)
}
const sender = (mistakes: SenderMistakes) => (): ContractSubject =>
  booksSubject(rightDescriptors(), rightSchemas(), mistakes)
const without = (subject: ContractSubject, validator: string): ContractSubject => {
  const { [validator]: _dropped, ...validators } = subject.validators ?? {}
  return { ...subject, validators }
}

const mistakes: [kind: string, expected: FindingCode, plant: () => ContractSubject][] = [
  ['a query parameter is dropped', 'query', described('listBooks', (o) => o.query.splice(2, 1))],
  ['a required query parameter is dropped', 'query', described('listBooks', (o) => o.query.splice(3, 1))],
  ['a list is repeated instead of joined', 'query', described('listBooks', (o) => (o.query[1] = 'ids'))],
  ['a list is joined instead of repeated', 'query', described('listBooks', (o) => (o.query[0] = 'genre,'))],
  ['a query parameter is renamed', 'query', described('listBooks', (o) => (o.query[2] = 'size'))],
  ['a default is sent that was not passed', 'query', sender({ ownQuery: 'limit=50' })],
  ['another status is reported', 'outcome', sender({ status: 200 })],
  ['values are not percent-encoded', 'query', sender({ noEncoding: true })],
  ['a path parameter is dropped', 'path', described('getBook', (o) => (o.path = '/v1/books/'))],
  ['the path is wrong', 'path', described('getBook', (o) => (o.path = '/v1/book/{book_id}'))],
  ['the trailing slash is lost', 'path', described('listBooks', (o) => (o.path = '/v1/books'))],
  ['a trailing slash is added', 'path', described('getBook', (o) => (o.path = '/v1/books/{book_id}/'))],
  ['the method is wrong', 'method', described('addBook', (o) => (o.method = 'PUT'))],
  ['a header is lost', 'header', described('listBooks', (o) => (o.headers = []))],
  ['the credential is lost', 'security', secured('getBook')],
  ['a public operation is sent the credential', 'security', secured('getStatus', 'apiKey')],
  ['the wrong credential is sent', 'security', secured('getBook', 'bearer')],
  ['one of two alternative credentials is lost', 'security', secured('addBook', 'apiKey')],
  ['the key is also in the address', 'secret-leak', sender({ keyInQuery: true })],
  ['the path prefix of the base URL is dropped', 'outside-base', sender({ dropPrefix: true })],
  [
    'the request goes to another server',
    'outside-base',
    described('getCover', (o) => (o.server = '{base_url}')),
  ],
  ['a call is retried', 'attempts', sender({ retries: 1 })],
  ['the body is lost', 'body', described('addBook', (o) => delete o.body)],
  ['the body kind is wrong', 'content-type', described('putCover', (o) => (o.body = 'json'))],
  [
    'a form is sent where JSON is documented',
    'content-type',
    described('addBook', (o) => (o.body = 'multipart')),
  ],
  ['a part is missing', 'part', described('putCover', (o) => delete o.parts?.['caption'])],
  ['a file is sent as text', 'part', parts({ image: 'text' })],
  ['text is encoded twice', 'part', parts({ caption: 'json' })],
  [
    'statuses are swapped',
    'outcome',
    described('addBook', (o) => (o.responses = { '200': o.responses['201'] as never })),
  ],
  [
    'an open success status is taken for the only possible one',
    'outcome',
    responds('getStatus', { '200': { kind: 'json', schema: 'Status' } }),
  ],
  ['a documented error is dropped', 'decoded', described('getBook', (o) => delete o.responses['404'])],
  ['`default` is dropped', 'decoded', described('removeBook', (o) => delete o.responses['default'])],
  ['an empty response is read as JSON', 'outcome', responds('removeBook', { '204': { kind: 'json' } })],
  ['bytes are read as text', 'decoded', responds('getCover', { '200': { kind: 'text' } })],
  ['unknown fields are stripped', 'decoded', sender({ stripUnknown: true })],
  ['an error has the wrong class', 'error-class', sender({ errorName: 'ApiError' })],
  [
    "the meaning of a 429 isn't determined",
    'rate-meaning',
    described('listBooks', (o) => Object.assign(o.responses['429'] ?? {}, { rate: false })),
  ],
  [
    'an error body is typed as something else',
    'drift',
    responds('getBook', { '404': { kind: 'json', schema: 'Book' } }),
  ],
  ["a response isn't checked", 'validator', responds('getBook', { '200': { kind: 'json' } })],
  ['a request is not checked', 'validator', described('addBook', (o) => delete o.request)],
  ['an enum value is missing', 'drift', schema('BookState', (s) => s.enum.pop())],
  ['an enum value is added', 'validator', schema('BookState', (s) => s.enum.push('not a documented value'))],
  ['an open enum is closed', 'validator', schema('Status', (s) => delete s.properties.state['x-open-enum'])],
  ['an optional field is made required', 'drift', schema('Book', (s) => s.required.push('due'))],
  ['a required field is made optional', 'validator', schema('Book', (s) => s.required.pop())],
  ['a type is wrong', 'drift', schema('Stored', (s) => (s.properties.size = { type: 'string' }))],
  [
    'an integer becomes a number',
    'validator',
    schema('Stored', (s) => (s.properties.size = { type: 'number' })),
  ],
  ['a property is renamed', 'drift', schema('Book', (s) => s.required.splice(1, 1, 'name'))],
  ['null is lost', 'drift', schema('BookList', (s) => (s.properties.next.type = 'string'))],
  ['null is added', 'validator', schema('Book', (s) => (s.properties.title.type = ['string', 'null']))],
  ['a format is dropped', 'validator', schema('Book', (s) => delete s.properties.due.format)],
  ['a length limit is dropped', 'validator', schema('Book', (s) => delete s.properties.title.maxLength)],
  ['a list limit is dropped', 'validator', schema('NewBook', (s) => delete s.properties.tags.maxItems)],
  [
    "the items of a list aren't checked",
    'validator',
    schema('BookList', (s) => delete s.properties.items.items),
  ],
  ['objects are closed', 'drift', schema('Book', (s) => (s.additionalProperties = false))],
  ['one of two alternatives is lost', 'drift', schema('Problem', (s) => s.properties.detail.anyOf.pop())],
  [
    'the event of a webhook is wrong',
    'validator',
    schema('BookReturned', (s) => (s.properties.event.const = 'book.back')),
  ],
  ['a validator is missing', 'validator', () => without(booksSubject(), 'Stored')],
  [
    "the client's own check takes everything",
    'validator',
    () => ({ ...booksSubject(), checks: { Stored: () => true } }),
  ],
  [
    "the client's own check takes nothing",
    'validator',
    () => ({ ...booksSubject(), checks: { Stored: () => false } }),
  ],
  ['a webhook has no validator', 'validator', () => ({ ...booksSubject(), webhooks: {} })],
]

async function tryMistake(plant: () => ContractSubject, expected: FindingCode, kind = 'nothing') {
  const [result] = await tryMistakes({ spec, prism, mistakes: [{ kind, expect: expected, plant }] })
  return result
}

it.each(mistakes)('%s: found as [%s]', async (kind, expected, plant) => {
  const found = { caught: true, reason: { code: expected } }
  expect(await tryMistake(plant, expected, kind)).toMatchObject(found)
})

it('no mistake is reported for a correct client', async () => {
  const result = await tryMistake(() => booksSubject(), 'query')
  expect(result).toEqual({ kind: 'nothing', expect: 'query', caught: false })
})

it("no mistake is reported for a client's own checks if they are correct", async () => {
  const { validators: checks = {}, ...subject } = booksSubject()
  const plant = (): ContractSubject => ({ ...subject, validators: checks, checks })
  expect(await tryMistake(plant, 'query')).toMatchObject({ caught: false })
})

it("finds a client that doesn't send what the contract allows", async () => {
  const schemas = rightSchemas()
  schemas['ClosedBook'] = { ...schemas['NewBook'], additionalProperties: false }
  const descriptors = rightDescriptors()
  Object.assign(descriptors['addBook'] ?? {}, { request: 'ClosedBook' })
  const result = await tryMistake(() => booksSubject(descriptors, schemas), 'validator')
  expect(result?.reason?.message).toBe(
    'the client rejects a value that the contract allows (the example, with this change: (root): an unknown property)',
  )
})
