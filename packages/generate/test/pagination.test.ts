import { describe, expect, it } from 'vitest'

import { readService } from '../src/normalize/service.ts'
import { typeCheck } from './support/compiler.ts'
import { documentOf, modelOf, printed } from './support/generated.ts'
import { problemsOf } from './support/problems.ts'

const text = { type: 'string' }
const integer = { type: 'integer' }
const items = { type: 'array', items: { type: 'object', required: ['id'], properties: { id: text } } }
const query = (...names: string[]) =>
  names.map((name) => ({ name, in: 'query', schema: /cursor|token/i.test(name) ? text : integer }))

/** A document with one list. */
function listing(parameters: object[], schema: object, more: object = {}, headers: object = {}) {
  const content = { 'application/json': { schema } }
  const get = { operationId: 'list', parameters, responses: { '200': { description: '', headers, content } } }
  return documentOf({ paths: { '/list': { get: { ...get, ...more } } } })
}

const page = (members: object) => ({ type: 'object', properties: { data: items, ...members } })

describe('x-pagination', () => {
  const word = { by: 'cursor', items: '/data', parameter: 'after', next: '/meta/next' }
  const meta = { type: 'object', properties: { next: { type: ['string', 'null'] } } }
  const source = listing([{ name: 'after', in: 'query', schema: text }], page({ meta }), {
    'x-pagination': word,
  })

  it('is part of the descriptor, whose items have a type', async () => {
    const model = await modelOf(source)
    expect(model.operations[0]?.pagination).toEqual(word)
    const consumer = `
import { paginate, type Client } from '@concord/runtime'
import { list } from './operations.gen.ts'

export async function use(client: Client): Promise<void> {
  for await (const item of paginate(client, list, { query: { after: 'a' } })) item.id satisfies string
  for await (const page of paginate(client, list, {}).pages) page.meta?.next satisfies string | null | undefined
  // @ts-expect-error: an item isn't a number.
  for await (const item of paginate(client, list, {})) item satisfies number
}
`
    expect(await typeCheck(await printed(model), consumer)).toBe('')
  })

  it.each([
    ['a parameter that is not there', { parameter: 'before' }, '/parameter', /no query parameter `before`/],
    ['a list that is not there', { items: '/items' }, '/items', /no list at "\/items"/],
    ['a cursor that is not there', { next: '/next' }, '/next', /nothing at "\/next"/],
    ['a missing part', { next: undefined }, '', /`next` is missing/],
    ['a kind that does not exist', { by: 'token' }, '/by', /isn't one of cursor, page, offset, link, url/],
  ])('may not have %s', async (_, change, pointer, reason) => {
    const wrong = JSON.parse(JSON.stringify({ ...word, ...change }))
    const parameters = [{ name: 'after', in: 'query', schema: text }]
    const found = await problemsOf(listing(parameters, page({ meta }), { 'x-retry': { class: 'safe' }, 'x-pagination': wrong }))
    expect(found.map(({ place }) => place.pointer)).toEqual([`#/paths/~1list/get/x-pagination${pointer}`])
    expect(found[0]?.reason).toMatch(reason)
  }) // prettier-ignore
})

describe('a convention', () => {
  it.each([
    ['a cursor', listing(query('cursor', 'limit'), page({ next_cursor: { type: ['string', 'null'] } })), { by: 'cursor', items: '/data', parameter: 'cursor', next: '/next_cursor' }],
    ['a token', listing(query('pageToken'), page({ nextPageToken: text })), { by: 'cursor', items: '/data', parameter: 'pageToken', next: '/nextPageToken' }],
    ['an address', listing([], page({ count: integer, next: { ...text, format: 'uri' } })), { by: 'url', items: '/data', next: '/next' }],
    ['page numbers', listing(query('page'), page({ total_pages: integer })), { by: 'page', items: '/data', parameter: 'page', total: '/total_pages' }],
    ['offsets', listing(query('offset', 'limit'), page({ total: integer })), { by: 'offset', items: '/data', parameter: 'offset', total: '/total' }],
    ['links', listing([], items, {}, { Link: { schema: text } }), { by: 'link', items: '' }],
  ])('is followed, and noted: %s', async (_, source, expected) => {
    const model = await modelOf(source)
    expect(model.operations[0]?.pagination).toEqual(expected)
    expect(model.departures.filter(({ reason }) => reason.includes('x-pagination'))).toMatchObject([
      { effect: 'noted', place: { pointer: '#/paths/~1list/get' } },
    ])
  }) // prettier-ignore

  it.each([
    ['two lists', listing(query('cursor'), page({ next_cursor: text, others: items }))],
    ['a required cursor', listing([{ name: 'cursor', in: 'query', required: true, schema: text }], page({ next_cursor: text }))],
    ['page numbers without an end', listing(query('page'), page({}))],
    ['a total without a limit', listing(query('offset'), page({ total: integer }))],
    ['a next that is only a string', listing([], page({ next: text }))],
    ['a list without links', listing(query('page'), items)],
  ])('is not guessed from %s', async (_, source) => {
    expect((await modelOf(source)).operations[0]?.pagination).toBeUndefined()
  }) // prettier-ignore

  it('is not followed in strict mode', async () => {
    const schema = page({ next_cursor: text })
    const model = await readService(listing(query('cursor'), schema, { 'x-retry': { class: 'safe' } }))
    expect(model.operations[0]?.pagination).toBeUndefined()
  })
})
