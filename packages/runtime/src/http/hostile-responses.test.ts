import { afterEach, expect, it, vi } from 'vitest'
import type { StandardSchema } from '../core/check.ts'
import type { ClientEvent } from '../core/events.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { defineOperationKind } from '../poll/operation-handle.ts'
import { PollScheduler } from '../poll/poll-scheduler.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { clientFor, reporting } from './test-support/clients.ts'
import { getItem, json, KEY, listItems, rejection } from './test-support/fixtures.ts'

afterEach(() => void vi.restoreAllMocks())

/** A schema that reports these issues, like those of a response that is wrong in many places. */
function failing(issues: () => { message: string; path?: PropertyKey[] }[]): StandardSchema {
  return { '~standard': { version: 1, vendor: 'fixture', validate: () => ({ issues: issues() }) } }
}

function checkedBy(schema: StandardSchema): OperationDescriptor<Record<never, never>, unknown> {
  return { ...listItems, responses: { 200: { kind: 'json', check: { schema: () => schema } } } }
}

it('R-05: limits the number of differences that a report of drift lists', async () => {
  const differing = (length: number) =>
    checkedBy(failing(() => Array.from({ length }, (_, index) => ({ message: 'is wrong', path: [index] }))))
  const { client, drift } = reporting(() => json([1]))
  expect(await client.send(differing(300_000), {})).toEqual([1])
  expect(drift[0]!.issues).toHaveLength(101)
  expect(drift[0]!.issues.at(-1)!.reason).toBe('differs in 299900 more places')
  expect(await client.send(differing(101), {})).toEqual([1])
  expect(drift[1]!.issues.at(-1)!.reason).toBe('differs in 1 more place')
})

it('R-05: truncates names and reasons in a report of drift that are megabytes long', async () => {
  const schema = failing(() => [{ message: 'm'.repeat(1_000_000), path: ['n'.repeat(1_000_000)] }])
  const { client, drift } = reporting(() => json({}))
  await client.send(checkedBy(schema), {})
  const [{ path, reason } = { path: '', reason: '' }] = drift[0]!.issues
  expect([path.length, reason.length]).toEqual([501, 501])
})

it.each([
  ['a validator', { schema: () => failing(() => exhausted()) }],
  ['a quick check', { accepts: exhausted, schema: () => failing(() => []) }],
])('R-05: returns data on which %s runs out of stack, with a report', async (_, check) => {
  const { client, drift } = reporting(() => json({ a: 1 }))
  const operation = { ...listItems, responses: { 200: { kind: 'json', check } } } as const
  expect(await client.send(operation, {})).toEqual({ a: 1 })
  expect(drift[0]!.issues[0]!.reason).toContain('is nested too deeply')
})

it('R-05: limits the warnings of drift about a service that invents names', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  let response = 0
  const schema = failing(() =>
    Array.from({ length: 50 }, (_, index) => ({ message: 'is wrong', path: [`f${response}x${index}`] })),
  )
  // A copy of the client that has warned of nothing yet.
  vi.resetModules()
  const fresh = await import('./test-support/clients.ts')
  const client = fresh.clientFor(() => json({ response: ++response }))
  await client.send(checkedBy(schema), {})
  expect(warn).toHaveBeenCalledTimes(10)
  expect(String(warn.mock.calls)).not.toContain('No warnings follow')
  for (let count = 0; count < 40; count++) await client.send(checkedBy(schema), {})
  expect(warn.mock.calls.length).toBeLessThanOrEqual(200)
  expect(String(warn.mock.calls.at(-1)![0])).toContain('No warnings follow for further differences')
})

it('R-05: warns of drift once for each operation and place, and once for all items of a list', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const paths = [[12], [3], ['a', 4, 'id'], ['a', 55, 'id'], ['a', 'b6'], ['a', 'b7']]
  const schema = failing(() => paths.map((path) => ({ message: 'is wrong', path })))
  vi.resetModules()
  const fresh = await import('./test-support/clients.ts')
  const client = fresh.clientFor(() => json([]))
  for (const id of ['one', 'one', 'other']) await client.send({ ...checkedBy(schema), id }, {})
  const places = warn.mock.calls.map(([message]) => /^(\w+): .* at (\S+):/.exec(String(message))?.slice(1))
  const listed = ['/12', '/a/4/id', '/a/b6', '/a/b7']
  expect(places).toEqual(['one', 'other'].flatMap((id) => listed.map((place) => [id, place])))
})

it('R-11: redacts a credential that is returned as a status, in errors and events', async () => {
  const events: ClientEvent[] = []
  const clock = virtualClock()
  const client = clientFor(() => json({ id: 'a', status: `${KEY}${'z'.repeat(10_000)}` }), { clock })
  const kind = defineOperationKind({
    kind: 'test.item',
    waiter: { status: '/status', success: ['done'], failure: [], pending: [] },
    scheduler: new PollScheduler({ clock }),
    poll: (id, signal) => client.exchange(getItem, { path: { item_id: id } }, { signal, validate: 'off' }),
    observe: (event) => events.push(event),
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

/** Fails like a function that exceeds the stack limit. */
function exhausted(): never {
  throw new RangeError('Maximum call stack size exceeded')
}
