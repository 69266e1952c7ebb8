import { afterEach, describe, expect, it, vi } from 'vitest'
import type { StandardSchema } from '../core/check.ts'
import type { ClientEvent, DriftReport } from '../core/events.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { defineOperationKind } from '../poll/operation-handle.ts'
import { PollScheduler } from '../poll/poll-scheduler.ts'
import { memoryTransport } from '../testing/transports.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { createClient } from './client.ts'
import { clientFor, getItem, json, KEY, listItems, rejection } from './test-support/fixtures.ts'

afterEach(() => void vi.restoreAllMocks())

const input = { path: { item_id: 'a' } }

/** A schema that reports these issues, like those of a response that is wrong in many places. */
function failing(issues: () => { message: string; path?: PropertyKey[] }[]): StandardSchema {
  return { '~standard': { version: 1, vendor: 'fixture', validate: () => ({ issues: issues() }) } }
}

function checkedBy(schema: StandardSchema): OperationDescriptor<Record<never, never>, unknown> {
  return { ...listItems, responses: { 200: { kind: 'json', check: { schema: () => schema } } } }
}

describe('hostile responses', () => {
  it('R-05: limits the number of listed differences', async () => {
    const reports: DriftReport[] = []
    const schema = failing(() =>
      Array.from({ length: 300_000 }, (_, index) => ({ message: 'is wrong', path: [index] })),
    )
    const client = clientFor(() => json([1]), { onDrift: (report) => reports.push(report) })
    expect(await client.send(checkedBy(schema), {})).toEqual([1])
    expect(reports[0]!.issues).toHaveLength(101)
    expect(reports[0]!.issues.at(-1)!.reason).toBe('differs in 299900 more places')
  })

  it('R-05: truncates names and reasons that are megabytes long', async () => {
    const reports: DriftReport[] = []
    const schema = failing(() => [{ message: 'm'.repeat(1_000_000), path: ['n'.repeat(1_000_000)] }])
    const client = clientFor(() => json({}), { onDrift: (report) => reports.push(report) })
    await client.send(checkedBy(schema), {})
    const [{ path, reason } = { path: '', reason: '' }] = reports[0]!.issues
    expect([path.length, reason.length]).toEqual([501, 501])
  })

  it.each([
    ['a validator', { schema: () => failing(() => exhausted()) }],
    ['a quick check', { accepts: exhausted, schema: () => failing(() => []) }],
  ])('R-05: returns data on which %s runs out of stack, with a report', async (_, check) => {
    const reports: DriftReport[] = []
    const client = clientFor(() => json({ a: 1 }), { onDrift: (report) => reports.push(report) })
    const operation = { ...listItems, responses: { 200: { kind: 'json', check } } } as const
    expect(await client.send(operation, {})).toEqual({ a: 1 })
    expect(reports[0]!.issues[0]!.reason).toContain('is nested too deeply')
  })

  it('R-05: limits the warnings about a service that invents names', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    let response = 0
    const schema = failing(() =>
      Array.from({ length: 50 }, (_, index) => ({ message: 'is wrong', path: [`f${response}x${index}`] })),
    )
    // A copy of the client that has warned of nothing yet.
    vi.resetModules()
    const fresh = await import('./test-support/fixtures.ts')
    const client = fresh.clientFor(() => json({ response: ++response }))
    await client.send(checkedBy(schema), {})
    expect(warn).toHaveBeenCalledTimes(10)
    expect(String(warn.mock.calls)).not.toContain('No warnings follow')
    for (let count = 0; count < 40; count++) await client.send(checkedBy(schema), {})
    expect(warn.mock.calls.length).toBeLessThanOrEqual(200)
    expect(String(warn.mock.calls.at(-1)![0])).toContain('No warnings follow for further differences')
  })

  it('R-05: warns once of all items of a list', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const paths = [[12], [3], ['a', 4, 'id'], ['a', 55, 'id'], ['a', 'b6'], ['a', 'b7']]
    const schema = failing(() => paths.map((path) => ({ message: 'is wrong', path })))
    vi.resetModules()
    const fresh = await import('./test-support/fixtures.ts')
    await fresh.clientFor(() => json([])).send(checkedBy(schema), {})
    const places = warn.mock.calls.map(([message]) => /at (\S+):/.exec(String(message))?.[1])
    expect(places).toEqual(['/12', '/a/4/id', '/a/b6', '/a/b7'])
  })

  it('R-11: redacts a credential that is returned as an enum value', async () => {
    const reports: DriftReport[] = []
    const openEnums = [{ path: ['status'], values: ['done'] }]
    for (const value of [KEY, () => KEY]) {
      const client = clientFor(() => json({ id: 'a', status: `${'x'.repeat(70)}${KEY}` }), {
        onDrift: (report) => reports.push(report),
        credentials: { key: { in: 'header', name: 'X-API-Key', value } },
      })
      await client.send({ ...getItem, responses: { 200: { kind: 'json', openEnums } } }, input)
    }
    expect(reports).toHaveLength(2)
    expect(JSON.stringify(reports)).not.toContain(KEY.slice(0, 8))
  })

  it('R-11: redacts a credential that is returned as a status, in errors and events', async () => {
    const events: ClientEvent[] = []
    const clock = virtualClock()
    const client = createClient({
      servers: { api: 'http://service.test' },
      credentials: { key: { in: 'header', name: 'X-API-Key', value: KEY } },
      transport: memoryTransport(() => json({ id: 'a', status: `${KEY}${'z'.repeat(10_000)}` })),
      clock,
    })
    const observe = (event: ClientEvent): void => void events.push(event)
    const kind = defineOperationKind({
      kind: 'test.item',
      waiter: { status: '/status', success: ['done'], failure: [], pending: [] },
      scheduler: new PollScheduler({ clock }),
      poll: (id, signal) => client.exchange(getItem, { path: { item_id: id } }, { signal, validate: 'off' }),
      observe,
    })
    const error = await rejection(kind.handle('a').wait({ deadline: '1m' }))
    expect(error).toMatchObject({ code: 'deadline', id: 'a' })
    expect(String(error).length).toBeLessThan(600)
    expect(String(error) + JSON.stringify(error) + JSON.stringify(events)).not.toContain(KEY)
    expect(events.length).toBeGreaterThan(0)
  })

  it('R-31: a response that is nested beyond the stack limit does not end a wait', async () => {
    const clock = virtualClock()
    let polls = 0
    const deep = (): unknown => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const kind = defineOperationKind({
      kind: 'test.item',
      waiter: { status: '/status', success: ['done'], failure: [], pending: ['busy'] },
      scheduler: new PollScheduler({ clock }),
      poll: async () => ({ data: { status: ++polls < 3 ? 'busy' : 'done', deep: deep() } }),
    })
    expect(await kind.handle('a').wait({ deadline: '1h' })).toMatchObject({ status: 'done' })
  })
})

/** Fails like a function that exceeds the stack limit. */
function exhausted(): never {
  throw new RangeError('Maximum call stack size exceeded')
}

describe('values that cannot be part of a URL', () => {
  it.each([
    [{ path: { item_id: 'a\uD800' } }, '/path/item_id'],
    [{ path: { item_id: 'a' }, query: { tag: ['ok', '\uDC00'] } }, '/query/tag'],
  ])('R-05: rejects half of a surrogate pair before a request is sent: %j', async (given, path) => {
    let calls = 0
    const client = clientFor(() => json({ calls: ++calls }))
    const error = await rejection(client.send(getItem, given))
    expect(error).toMatchObject({ code: 'invalid-request', issues: [{ path }] })
    expect(calls).toBe(0)
  })
})

describe('options of the wrong type', () => {
  const servers = { api: 'http://service.test' }
  it.each([
    [{ transport: () => undefined }, 'transport'],
    [{ transport: {} }, 'transport'],
    [{ transport: null }, 'transport'],
    [{ headers: { 'bad name': 'x' } }, 'headers.bad name'],
    [{ quotaHeaders: ['x-left'] }, 'quotaHeaders'],
    [{ quotaHeaders: 'x-left' }, 'quotaHeaders'],
    [{ quotaHeaders: { left: 1 } }, 'quotaHeaders.left'],
  ])('are rejected by name: %j', (options, option) => {
    expect(() => createClient({ servers, ...options } as never)).toThrow(
      expect.objectContaining({ code: 'invalid-options', option }),
    )
  })
})
