import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { wait } from '../core/async.ts'
import type { PagedOperation, PaginationDescriptor } from '../core/descriptors.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { linkTarget, paginate } from './paginate.ts'
import { clientFor } from './test-support/clients.ts'
import { json, listItems, rejection } from './test-support/fixtures.ts'
import { collect } from './test-support/item-streams.ts'

interface Page {
  readonly data: readonly number[]
  readonly next?: string | null
  readonly more?: boolean
  readonly total?: number
}

interface Input {
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

function listing(
  pagination: PaginationDescriptor,
  more: Partial<PagedOperation> = {},
): PagedOperation<Input, Page, unknown, number> {
  return {
    ...listItems,
    id: 'list',
    path: '/v1/list',
    parameters: ['after', 'page', 'offset', 'size'].map((name) => ({ name, in: 'query', required: false })),
    pagination,
    ...more,
  } as PagedOperation<Input, Page, unknown, number>
}

const byCursor = listing({ by: 'cursor', items: '/data', parameter: 'after', next: '/next' })

/** A client whose service responds with these pages, and what it was asked for. */
function serving(response: (url: URL, request: Request) => Response | Promise<Response>, options = {}) {
  const asked: string[] = []
  const client = clientFor((request) => {
    const url = new URL(request.url)
    asked.push(url.pathname + url.search)
    return response(url, request)
  }, options)
  return { client, asked }
}

/** Three pages of two numbers each. */
function page(index: number): Page {
  return { data: [2 * index, 2 * index + 1], next: index < 2 ? `c${index + 1}` : null }
}

const byIndex = (url: URL) => json(page(Number((url.searchParams.get('after') ?? 'c0').slice(1))))

it('paginate() reads a list item by item, or page by page, with the rest of the input', async () => {
  const { client, asked } = serving(byIndex)
  const list = paginate(client, byCursor, { query: { size: 2 } })
  expect(await collect(list)).toEqual([0, 1, 2, 3, 4, 5])
  expect(asked).toEqual(['/v1/list?size=2', '/v1/list?after=c1&size=2', '/v1/list?after=c2&size=2'])
  expect(await collect(list.pages)).toEqual([page(0), page(1), page(2)])
})

it('paginate() requests a page only when its items are asked for', async () => {
  const { client, asked } = serving(byIndex)
  for await (const item of paginate(client, byCursor, {})) if (item === 2) break
  expect(asked).toHaveLength(2)
})

it.each<[string, PaginationDescriptor, Input, (url: URL) => Page, string[]]>([
  ['page numbers, up to an empty page', { by: 'page', items: '/data', parameter: 'page' }, {}, (url) => ({ data: url.searchParams.get('page') === '3' ? [] : [Number(url.searchParams.get('page') ?? 1)] }), ['', '?page=2', '?page=3']],
  ['page numbers from 0, up to the last one', { by: 'page', items: '/data', parameter: 'page', first: 0, total: '/total' }, {}, (url) => ({ data: [Number(url.searchParams.get('page') ?? 0)], total: 2 }), ['', '?page=1']],
  ['page numbers from that of the input', { by: 'page', items: '/data', parameter: 'page', total: '/total' }, { query: { page: 4 } }, (url) => ({ data: [Number(url.searchParams.get('page'))], total: 5 }), ['?page=4', '?page=5']],
  ['page numbers, while there is more', { by: 'page', items: '/data', parameter: 'page', more: '/more' }, {}, (url) => ({ data: [1], more: url.search === '' }), ['', '?page=2']],
  ['offsets, up to the number of all items', { by: 'offset', items: '/data', parameter: 'offset', total: '/total' }, {}, () => ({ data: [1, 2], total: 3 }), ['', '?offset=2']],
  ['offsets, up to an empty page', { by: 'offset', items: '/data', parameter: 'offset' }, { query: { offset: 10 } }, (url) => ({ data: url.searchParams.get('offset') === '12' ? [] : [1, 2] }), ['?offset=10', '?offset=12']],
])('paginate() reads a list by %s', async (_, pagination, input, response, expected) => {
  const { client, asked } = serving((url) => json(response(url)))
  await collect(paginate(client, listing(pagination), input))
  expect(asked).toEqual(expected.map((query) => `/v1/list${query}`))
}) // prettier-ignore

it('paginate() reads a list by a cursor in the body', async () => {
  const operation = listing(
    { by: 'cursor', items: '/data', parameter: 'after', in: 'body', next: '/next' },
    { method: 'POST', body: { kind: 'json', contentType: 'application/json', required: true } },
  )
  const bodies: unknown[] = []
  const { client } = serving(async (_, request) => {
    const body = (await request.json()) as { after?: string }
    bodies.push(body)
    return json(page(Number((body.after ?? 'c0').slice(1))))
  })
  expect(await collect(paginate(client, operation, { body: { a: 1 } }))).toHaveLength(6)
  expect(bodies).toEqual([{ a: 1 }, { a: 1, after: 'c1' }, { a: 1, after: 'c2' }])
})

it('paginate() reads a list by the links of its headers, whose queries are sent as they are', async () => {
  const operation = listing({ by: 'link', items: '' })
  const { client, asked } = serving((url) => {
    const at = Number(url.searchParams.get('p') ?? 0)
    const link = at < 2 ? `</v1/list?p=${at + 1}&x=%7Ba>; rel="next"` : '</v1/list>; rel="first"'
    return json([at], { headers: { link } })
  })
  const list = paginate(client, operation, { query: { size: 1 } }, { extra: { query: { own: 'x' } } })
  expect(await collect(list)).toEqual([0, 1, 2])
  expect(asked).toEqual(['/v1/list?size=1&own=x', '/v1/list?p=1&x=%7Ba', '/v1/list?p=2&x=%7Ba'])
})

it('paginate() reads a list by addresses in its body, each with the headers, the cookies and the credential once', async () => {
  const operation = listing(
    { by: 'url', items: '/data', next: '/next' },
    {
      parameters: [
        {
          name: 'X-A',
          in: 'header',
          required: false,
          write: (_: string, value: unknown) => `<${String(value)}>`,
        },
        { name: 'theme', in: 'cookie', required: false },
        { name: 'size', in: 'query', required: false },
      ],
    },
  )
  const seen: (string | null)[][] = []
  const key = { in: 'query', name: 'key', value: 'abcd' } as const
  const addresses = ['?p=1&key=abcd', 'http://service.test/v1/list?p=2', '', 7]
  const { client, asked } = serving(
    (_, { headers }) => {
      seen.push([headers.get('x-a'), headers.get('cookie'), headers.get('accept')])
      return json({ data: [1], next: addresses.shift() })
    },
    { credentials: { key } },
  )
  const input = { query: { size: 2 }, headers: { 'X-A': 1 }, cookies: { theme: 'dark' } } as never
  expect(await collect(paginate(client, operation, input))).toHaveLength(3)
  expect(asked).toEqual(['/v1/list?size=2&key=abcd', '/v1/list?p=1&key=abcd', '/v1/list?p=2&key=abcd'])
  expect(seen).toEqual(Array.from({ length: 3 }, () => ['<1>', 'theme=dark', 'application/json']))
})

it('paginate() ends when there is no cursor, no link or no further item', async () => {
  const requests = async (pagination: PaginationDescriptor, response: () => Response) => {
    const { client, asked } = serving(response)
    await collect(paginate(client, listing(pagination), {}))
    return asked
  }
  const cursor = { by: 'cursor', items: '/data', parameter: 'after', next: '/next' } as const
  for (const next of ['', null, {}, undefined]) {
    expect(await requests(cursor, () => json({ data: [1], next }))).toHaveLength(1)
  }
  let count = 0
  expect(
    await requests(cursor, () => json({ data: [++count], next: count < 3 ? count : undefined })),
  ).toEqual(['/v1/list', '/v1/list?after=1', '/v1/list?after=2'])
  expect(await requests({ by: 'link', items: '' }, () => json([1]))).toHaveLength(1)
  const offset = { by: 'offset', items: '/data', parameter: 'offset', total: '/total' } as const
  expect(await requests(offset, () => json({ data: [1, 2], total: 2 }))).toHaveLength(1)
  count = 0
  expect(await requests(offset, () => json({ data: ++count < 3 ? [count] : [], total: '1' }))).toHaveLength(3)
  expect(await requests(cursor, () => json({ data: [], next: `${++count % 5}` }))).toHaveLength(6)
})

it('paginate() reads equal pages at different addresses', async () => {
  const { client, asked } = serving((url) => {
    const at = Number(url.searchParams.get('p') ?? 0)
    return json([1], at < 3 ? { headers: { link: `<?p=${at + 1}>; rel=next` } } : {})
  })
  expect(await collect(paginate(client, listing({ by: 'link', items: '' }), {}))).toEqual([1, 1, 1, 1])
  expect(asked).toHaveLength(4)
})

it('paginate() never follows an address of another origin', async () => {
  for (const next of ['https://evil.test/v1/list', '//evil.test/', 'http://service.test:81/', 'javascript:a', 'http://[']) {
    const { client, asked } = serving(() => json({ data: [1], next }))
    const error = await rejection(collect(paginate(client, listing({ by: 'url', items: '/data', next: '/next' }), {})))
    expect(error).toMatchObject({ code: 'contract-drift', operation: 'list', issues: [{ path: '/next' }] })
    expect(asked).toHaveLength(1)
  }
}) // prettier-ignore

it.each<[string, PaginationDescriptor, unknown, number]>([
  ['a cursor', { by: 'cursor', items: '/data', parameter: 'after', next: '/next' }, { data: [1], next: 'a' }, 2],
  ['an address', { by: 'url', items: '/data', next: '/next' }, { data: [1], next: '/v1/list?p=1' }, 2],
  ['a page', { by: 'page', items: '/data', parameter: 'page' }, { data: [1] }, 2],
  ['nothing that is a list', { by: 'page', items: '/data', parameter: 'page' }, { data: {} }, 1],
])('paginate() ends, and reports drift, when the service repeats %s', async (_, pagination, body, requests) => {
  const drift: unknown[] = []
  const { client, asked } = serving(() => json(body), { onDrift: (found: unknown) => drift.push(found) })
  await collect(paginate(client, listing(pagination), {}))
  expect(asked).toHaveLength(requests)
  const path = pagination.next ?? expect.any(String)
  expect(drift).toMatchObject([{ operation: 'list', issues: [{ path, reason: expect.any(String) }] }])
}) // prettier-ignore

it('paginate() has one deadline and one signal for all pages', async () => {
  const clock = virtualClock()
  const { client, asked } = serving(
    async (url) => {
      await wait(clock, 400)
      return byIndex(url)
    },
    { clock },
  )
  const error = await rejection(collect(paginate(client, byCursor, {}, { deadline: 1000 })))
  expect(error).toMatchObject({ code: 'deadline' })
  expect(asked).toHaveLength(3)
  const slow = paginate(client, byCursor, {}, { deadline: 1000 })
  const late = async () => {
    for await (const item of slow) if (item === 0) await wait(clock, 2000)
  }
  expect(await rejection(late())).toMatchObject({
    code: 'deadline',
    operation: 'list',
    limitMs: 1000,
    sent: 'no',
  })
  expect(asked).toHaveLength(4)
  const controller = new AbortController()
  const items = paginate(client, byCursor, {}, { signal: controller.signal })[Symbol.asyncIterator]()
  await items.next()
  await items.next()
  controller.abort(new Error('enough'))
  expect(await rejection(items.next())).toMatchObject({ message: 'enough' })
  expect(asked).toHaveLength(5)
})

it.each([
  ['</a?page=2>; rel="next"', '/a?page=2'],
  ['<https://a.example/1>; rel=prev, <https://a.example/3>;rel=next; title="a, b"', 'https://a.example/3'],
  ['<a>; title="x; rel=\\"next\\", y"; rel=last, < b >; REL="first NEXT"', 'b'],
  ['<a>; rel=next; anchor="#b", <c>; rel=next', 'c'],
  ['<a,b>; rel=next', 'a,b'],
  ['<>; rel=next', ''],
  ['x <a>; rel= "first  next" ; y', 'a'],
  ['<a>, <b>; rel=next', 'b'],
  ['<a>; title="\\', undefined],
  ['<a>; title="x\\"; rel=next', undefined],
  ['<a>; title="\\"; rel=last"; rel=next', 'a'],
  ['<a>; =x; rel=next', 'a'],
  ['<a>; "rel=next"', undefined],
  ['<a>; rel="next", <b>; rel=next', 'a'],
  ['<a>; title="b, <c>; rel=next"', undefined],
  ['<a>; rel=prev; rel=next', undefined],
  ['<a>; rel="nextish"', undefined],
  ['<a,>; rel=next', 'a,'],
  ['<a>rel=next', 'a'],
  ['<a>; rel="n\\ext"', 'a'],
  ['<a>; x<, <b>; rel=next', 'b'],
  ['<a', undefined],
  ['', undefined],
])('finds the link to the next page in %s', (header, target) => {
  expect(linkTarget(header, 'next')).toBe(target)
})

it('reads any Link header in linear time', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[<>;,="\\a ]{0,60}$/), (header) => {
      expect(['string', 'undefined']).toContain(typeof linkTarget(header, 'next'))
    }),
  )
  expect(linkTarget('<a>;'.repeat(100_000), 'next')).toBeUndefined()
})
