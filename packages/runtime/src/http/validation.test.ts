import { expect, it, vi } from 'vitest'
import type { CheckDescriptor, StandardSchema } from '../core/check.ts'
import type { Clock } from '../core/clock.ts'
import { ConnectionError } from '../core/errors.ts'
import type { ClientEvent } from '../core/events.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { hostTurn } from '../testing/virtual-clock.ts'
import { readHeaders } from './headers.ts'
import { clientFor, reporting } from './test-support/clients.ts'
import {
  createItem,
  getItem,
  type GetItemInput,
  input,
  item,
  itemSchema,
  json,
  rejection,
  textFields,
} from './test-support/fixtures.ts'

const wrong = { id: 7, status: 'done', more: true }

it('R-05: reports drift and returns the data as received, ignores it, or throws it, for a client or for a call', async () => {
  const events: ClientEvent[] = []
  const { client, drift } = reporting(() => json(wrong), { observe: (event) => events.push(event) })
  expect(await client.send(getItem, input)).toEqual(wrong)
  const found = { operation: 'getItem', status: 200, issues: [{ path: '/id', reason: 'must be a string' }] }
  expect(drift).toEqual([found])
  expect(events).toContainEqual({ type: 'drift', ...found })
  expect(await client.send(getItem, input, { validate: 'off' })).toEqual(wrong)
  const strict = clientFor(() => json(wrong), { validate: 'enforce' })
  for (const sending of [strict.send(getItem, input), client.send(getItem, input, { validate: 'enforce' })]) {
    const error = await rejection(sending)
    expect(error).toMatchObject({ code: 'contract-drift', data: wrong, issues: [{ path: '/id' }] })
  }
  expect(drift).toHaveLength(1)
})

it('R-05: a documented error body that does not match the contract is reported, and the error is unchanged', async () => {
  const errorBody = {
    kind: 'json',
    contentType: 'application/json',
    check: { schema: () => itemSchema },
  } as const
  const operation: typeof getItem = { ...getItem, responses: { ...getItem.responses, 404: errorBody } }
  const { client, drift } = reporting(() => json({ detail: 7 }, { status: 404 }))
  for (const validate of ['report', 'enforce', 'off'] as const) {
    expect(await rejection(client.send(operation, input, { validate }))).toMatchObject({
      code: 'http',
      status: 404,
    })
  }
  expect(drift).toHaveLength(2)
  expect(drift[0]).toMatchObject({
    operation: 'getItem',
    status: 404,
    issues: [{ path: '/id' }, { path: '/status' }],
  })
})

it('R-05: keeps unknown fields of a response in every mode', async () => {
  const body = { ...item, extra: { deep: [1] } }
  for (const validate of ['report', 'enforce', 'off'] as const) {
    expect(await clientFor(() => json(body), { validate }).send(getItem, input)).toEqual(body)
  }
})

it('R-05: unknown values of open enums pass in every mode, and are reported', async () => {
  const operation: OperationDescriptor<GetItemInput, unknown> = {
    ...getItem,
    secrets: ['hidden'],
    responses: {
      200: {
        kind: 'json',
        openEnums: [
          { path: ['hidden', 'kind'], values: ['a'] },
          { path: ['status'], values: ['done'] },
          { path: ['parts', '*', 'kind'], values: ['a'] },
        ],
      },
    },
  }
  const parts = [{ kind: 'a' }, { kind: 'b' }, { kind: null }, 7, null]
  const body = { hidden: { kind: 's3cret' }, status: 'p'.repeat(90), parts, none: 1, other: 'x' }
  for (const validate of ['report', 'enforce'] as const) {
    const { client, drift } = reporting(() => json(body), { validate })
    expect(await client.send(operation, input)).toEqual(body)
    const unlisted = 'the contract does not list'
    expect(drift.flatMap(({ issues }) => issues)).toEqual([
      { path: '/hidden/kind', reason: `has a value that ${unlisted}` },
      { path: '/status', reason: `has the value "${'p'.repeat(80)}", which ${unlisted}` },
      { path: '/parts/1/kind', reason: `has the value "b", which ${unlisted}` },
    ])
  }
  const bodies = [{ status: 'done' }, { parts: Array.from({ length: 150 }, () => ({ kind: 'z' })) }]
  const { client, drift } = reporting(() => json(bodies.shift()))
  await client.send(operation, input)
  expect(drift).toEqual([])
  await client.send(operation, input)
  expect(drift[0]?.issues).toHaveLength(100)
})

it('R-05: supports asynchronous schemas', async () => {
  const later = textFields('id')
  const checkedBy = (validate: StandardSchema['~standard']['validate']): CheckDescriptor => ({
    schema: () => ({ '~standard': { ...later['~standard'], validate } }),
  })
  const reading = (check: CheckDescriptor) =>
    ({ ...getItem, responses: { 200: { kind: 'json', check } } }) as const
  const slow = checkedBy(async (value) => later['~standard'].validate(value))
  const client = clientFor(() => json({ id: 1 }), { validate: 'enforce' })
  await expect(client.send(reading(slow), input)).rejects.toMatchObject({ issues: [{ path: '/id' }] })
  let seen: unknown
  const check = checkedBy(async () => ({ value: 1 }))
  const submitting = clientFor(async (request) => json((seen = await request.json())))
  await submitting.send({ ...createItem, check, responses: {} }, { body: { id: 'a' } })
  expect(seen).toEqual({ id: 'a' })
  const own = new TypeError('the schema is broken')
  const broken = reading(checkedBy(() => Promise.reject(own)))
  expect(await rejection(clientFor(() => json({})).send(broken, input))).toBe(own)
})

it('R-05: validates the documented headers of a success, together with its body', async () => {
  const check = { schema: () => textFields('X-Name') }
  const headers = { kinds: { 'X-Name': 'string' }, read: readHeaders, check } as const
  const { 200: documented } = getItem.responses
  const operation: typeof getItem = {
    ...getItem,
    responses: { 200: { ...documented, kind: 'json', headers } },
  }
  for (const [body, named, paths] of [
    [item, { 'x-name': 'n' }, []],
    [item, {}, ['headers/X-Name']],
    [{ id: 'a' }, { 'x-name': 'n' }, ['/status']],
    [{ id: 'a' }, {}, ['/status', 'headers/X-Name']],
  ] as const) {
    const { client, drift } = reporting(() => json(body, { headers: named }))
    expect(await client.send(operation, input)).toEqual(body)
    const issues = paths.map((path) => ({ path, reason: 'must be a string' }))
    expect(drift.flatMap((found) => found.issues)).toEqual(issues)
  }
})

it('R-05: loads a schema only for the reasons', async () => {
  let loaded = 0
  const check: CheckDescriptor = {
    accepts: (value) => (value as { id?: unknown }).id === 'a' || Object.hasOwn(value as object, 'body'),
    schema: async () => {
      loaded++
      return textFields('id')
    },
  }
  const operation = { ...createItem, check, responses: { 200: { kind: 'json', check } } } as const
  const options = { validate: 'enforce' } as const
  expect(await clientFor(() => json({ id: 'a' }), options).send(operation, { body: {} })).toEqual({
    id: 'a',
  })
  expect(loaded).toBe(0)
  // The schema decides.
  expect(await clientFor(() => json({ id: 'b' }), options).send(operation, { body: {} })).toEqual({
    id: 'b',
  })
  const client = clientFor(() => json({ id: 7 }), options)
  expect(await rejection(client.send(operation, { body: {} }))).toMatchObject({
    code: 'contract-drift',
    issues: [{ path: '/id', reason: 'must be a string' }],
  })
  expect(await rejection(client.send(operation, {} as never))).toMatchObject({
    code: 'invalid-request',
    issues: [{ path: '/id', reason: 'must be a string' }],
  })
  expect(loaded).toBe(3)
})

it('R-05: if a schema fails to load, no response is lost and no request is sent', async () => {
  let calls = 0
  const check: CheckDescriptor = {
    accepts: () => false,
    schema: () => Promise.reject(new TypeError('gone')),
  }
  const reason = expect.stringContaining(
    'could not be checked. getItem: part of the client failed to load (TypeError: gone)',
  )
  const answered = { ...getItem, responses: { 200: { kind: 'json', check } } } as const
  const lenient = reporting(() => json(item))
  expect(await lenient.client.send(answered, input)).toEqual(item)
  expect(lenient.drift).toMatchObject([{ issues: [{ path: '', reason }] }])
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  expect(await clientFor(() => json(item)).send(answered, input)).toEqual(item)
  const [[warning = ''] = []] = warn.mock.calls
  warn.mockRestore()
  expect(String(warning)).toMatch(
    /getItem: the response could not be checked\. getItem: .*[^.]\. The data is returned/s,
  )
  const strict = clientFor(() => json(item), { validate: 'enforce' })
  expect(await rejection(strict.send(answered, input))).toMatchObject({
    code: 'contract-drift',
    message: expect.stringContaining('getItem: the response could not be checked'),
    issues: [{ path: '', reason }],
    data: item,
    cause: { code: 'connection', cause: { message: 'gone' } },
  })
  const client = clientFor(() => json(++calls))
  expect(await rejection(client.send({ ...createItem, check }, { body: {} }))).toMatchObject({
    code: 'connection',
    operation: 'createItem',
    sent: 'no',
    message: expect.stringContaining('createItem: part of the client failed to load (TypeError: gone). In'),
    cause: { message: 'gone' },
  })
  expect(calls).toBe(0)
})

it('R-02: a schema that never loads delays no abort, no deadline and no response', async () => {
  const loading = Promise.withResolvers<StandardSchema>()
  const check: CheckDescriptor = { accepts: () => false, schema: () => loading.promise }
  const answered = { ...getItem, responses: { 200: { kind: 'json', check } } } as const
  const rejected = { ...createItem, check }
  let elapsedMs = 0
  const timers = new Set<() => void>()
  const clock: Clock = {
    now: () => elapsedMs,
    monotonic: () => 5_000 + elapsedMs,
    setTimer(callback, delayMs) {
      const timer = (): void => void (elapsedMs >= delayMs && callback())
      timers.add(timer)
      return { cancel: () => timers.delete(timer) }
    },
  }
  const { client, drift } = reporting(() => json(item), { clock })
  const abort = new AbortController()
  const { signal } = abort
  const aborted = [client.send(answered, input, { signal }), client.send(rejected, { body: {} }, { signal })]
  const late = [
    client.send(answered, input, { deadline: 10 }),
    client.send(rejected, { body: {} }, { deadline: 10 }),
  ]
  for (let turn = 0; turn < 5; turn++) await hostTurn()
  // Even a reason that could be retried.
  abort.abort(new ConnectionError('enough', { phase: 'connect', sent: 'no' }))
  for (const each of aborted) expect(await rejection(each)).toBe(signal.reason)
  elapsedMs = 10
  for (const timer of timers) timer()
  expect(await late[0]).toEqual(item)
  expect(drift).toMatchObject([
    {
      issues: [
        {
          reason: expect.stringContaining('could not be checked. getItem: the call was not completed within'),
        },
      ],
    },
  ])
  expect(await rejection(late[1] as Promise<unknown>)).toMatchObject({
    code: 'deadline',
    operation: 'createItem',
  })
  expect(timers.size).toBe(0)
  loading.resolve(textFields())
})

it('R-05: waits for reasons even if the host replaces the global Promise', async () => {
  const check: CheckDescriptor = { schema: async () => textFields('id') }
  const { client, drift } = reporting(() => json({ id: 1 }))
  // Like libraries that track asynchronous work. An `async` function still returns the host's own.
  vi.stubGlobal('Promise', class extends Promise<unknown> {})
  try {
    const drifting = { ...getItem, responses: { 200: { kind: 'json', check } } } as const
    expect(await client.send(drifting, input)).toEqual({ id: 1 })
    expect(drift).toMatchObject([{ issues: [{ path: '/id' }] }])
    expect(await rejection(client.send({ ...createItem, check }, { body: {} }))).toMatchObject({
      code: 'invalid-request',
      issues: [{ path: '/id' }],
    })
  } finally {
    vi.unstubAllGlobals()
  }
})

it('R-05: reads an undocumented success like the documented one, and reports it', async () => {
  const { client, drift } = reporting(() => json(item, { status: 201 }))
  const { 200: success } = getItem.responses
  const found = { ...getItem, responses: { 200: success, 404: { kind: 'json' } } } as typeof getItem
  expect(await client.send(found, input)).toEqual(item)
  const reason = 'status 201, but the contract has 200'
  expect(drift[0]).toMatchObject({ status: 201, issues: [{ path: '', reason }] })
  const operation = { ...getItem, responses: { 404: { kind: 'json' } } } as const
  expect(await client.send(operation, input)).toBeUndefined()
  expect(drift[1]?.issues).toMatchObject([{ reason: 'status 201, but the contract has no success status' }])
})

it('R-05: accepts and validates any success if the contract leaves its status open', async () => {
  const { 200: documented } = getItem.responses
  const operation: typeof getItem = {
    ...getItem,
    responses: { 204: { kind: 'empty' }, 200: { ...documented, kind: 'json', openStatus: true } },
  }
  for (const status of [200, 201, 202, 206]) {
    const { client, drift } = reporting(() => json(item, { status }), { validate: 'enforce' })
    expect(await client.exchange(operation, input)).toMatchObject({ data: item, status })
    expect(drift).toEqual([])
  }
  const enforced = clientFor(() => json(wrong, { status: 202 }), { validate: 'enforce' })
  expect(await rejection(enforced.send(operation, input))).toMatchObject({
    code: 'contract-drift',
    issues: [{ path: '/id' }],
  })
  const failed = clientFor(() => json({ detail: 'no' }, { status: 404 }))
  expect(await rejection(failed.send(operation, input))).toMatchObject({ code: 'http', status: 404 })
})

it('R-04: a success without a body is valid only if the contract leaves the body open', async () => {
  const { 200: documented } = getItem.responses
  const open: typeof getItem = {
    ...getItem,
    responses: { 200: { ...documented, kind: 'json', openStatus: true, openBody: true } },
  }
  for (const status of [200, 204]) {
    const client = clientFor(() => new Response(status === 204 ? null : '', { status }), {
      validate: 'enforce',
    })
    expect(await client.send(open, input)).toBeUndefined()
    expect(await rejection(client.send(getItem, input))).toMatchObject({ code: 'unexpected-content' })
  }
  const wrongBody = clientFor(() => json(wrong), { validate: 'enforce' })
  expect(await rejection(wrongBody.send(open, input))).toMatchObject({ code: 'contract-drift' })
})

it('R-07: sends an undocumented query parameter of `extra`, and omits an undefined one', async () => {
  const client = clientFor(({ url }) => json(new URL(url).search))
  const extra = { query: { pag: 2 } }
  const unsorted = { ...input, query: { sort: undefined } } as never
  expect(await client.send(getItem, unsorted, { extra, validate: 'off' })).toBe('?pag=2')
})

const cycle: Record<string, unknown> = {}
cycle['again'] = cycle
const checkedBody = { ...createItem, check: { schema: () => textFields('a', 'b') } }
const inJson = expect.stringContaining('cannot be converted to JSON')
it.each<[string, { readonly id: string }, unknown, object[]]>([
  ['a body with a cycle', createItem, { body: cycle }, [{ path: '/body', reason: inJson }]],
  ['a body with a bigint', createItem, { body: { count: 5n } }, [{ path: '/body', reason: inJson }]],
  [
    'input that its check rejects',
    checkedBody,
    { body: {} },
    [
      { path: '/a', reason: 'must be a string' },
      { path: '/b', reason: 'must be a string' },
    ],
  ],
  ['an empty path parameter', getItem, { path: { item_id: '' } }, [{ path: '/path/item_id' }]],
  ['a path parameter `.`', getItem, { path: { item_id: '.' } }, [{ path: '/path/item_id' }]],
  ['a path parameter `..`', getItem, { path: { item_id: '..' } }, [{ path: '/path/item_id' }]],
  ['no path parameter', getItem, { path: { item_id: undefined } }, [{ path: '/path/item_id' }]],
  [
    'half of a surrogate pair in a path',
    getItem,
    { path: { item_id: '\uD800' } },
    [{ path: '/path/item_id' }],
  ],
  [
    'half of a surrogate pair in a query',
    getItem,
    { ...input, query: { tag: ['ok', '\uDC00'] } },
    [{ path: '/query/tag' }],
  ],
  ['a path parameter with a cycle', getItem, { path: { item_id: cycle } }, [{ path: '/path/item_id' }]],
  [
    'a query parameter with a cycle',
    getItem,
    { ...input, query: { page: cycle } },
    [{ path: '/query/page' }],
  ],
  [
    'parts and query parameters that would be silently omitted',
    getItem,
    { ...input, query: { pag: 2, page: 1, tag: undefined, sort: undefined, item_id: 'b' }, qery: {} },
    [
      { path: '/query/pag', reason: 'is not documented (pass undocumented parameters in `extra.query`)' },
      { path: '/query/item_id' },
      {
        path: '/qery',
        reason:
          'is not a valid part of the input (valid parts: path, query, headers, cookies, contentType, body)',
      },
    ],
  ],
])('R-05: rejects %s before anything is sent, with each place', async (_, operation, given, issues) => {
  let calls = 0
  const client = clientFor(() => json(++calls))
  const error = await rejection(client.send(operation as OperationDescriptor, given))
  expect(error).toMatchObject({ code: 'invalid-request', operation: operation.id, issues })
  if (operation === checkedBody) expect(String(error)).toContain('/a: must be a string; /b: must be a string')
  expect(calls).toBe(0)
})

it('a reporter or observer that throws does not affect the call', async () => {
  const fail = (): never => {
    throw new Error('reporter')
  }
  const client = clientFor(() => json(wrong), { onDrift: fail, observe: fail })
  expect(await client.send(getItem, input)).toEqual(wrong)
})
