import { expect, it } from 'vitest'
import type { WaiterDescriptor } from '../core/descriptors.ts'
import {
  AuthenticationError,
  ConnectionError,
  ContractDriftError,
  SubmissionUncertainError,
} from '../core/errors.ts'
import { defineOperationKind } from '../poll/operation-handle.ts'
import { PollScheduler } from '../poll/poll-scheduler.ts'
import { WAITER } from '../poll/test-support/scripted-service.ts'
import { isOfCaller } from '../retry/caller-errors.ts'
import { outcomeOf } from '../retry/outcome.ts'
import { emptyResponse, foreignErrors } from '../retry/test-support/foreign-errors.ts'
import { MINUTE, notSent, setUp } from '../session/test-support/token-sessions.ts'
import { virtualClock, type VirtualClock } from '../testing/virtual-clock.ts'
import type { Client } from './client.ts'
import type { ItemStreamOptions } from './item-stream.ts'
import { submit } from './submit.ts'
import { clientFor, keyFrom, scene } from './test-support/clients.ts'
import { createItem, getItem, type Item, json, KEY, rejection } from './test-support/fixtures.ts'
import { collect, event, events, watching } from './test-support/item-streams.ts'

const body = { body: { name: 'a' } }
const RECONNECT: ItemStreamOptions = { reconnect: true }
const waiter: WaiterDescriptor = { ...WAITER, limitMs: 600_000 }

/** A credential whose function throws from its second reading on. */
function failing(error: unknown) {
  const reads = { count: 0 }
  const value = (): string => {
    reads.count += 1
    if (reads.count > 1) throw error
    return KEY
  }
  return { reads, credentials: { key: keyFrom(value) } }
}

function waitFor(client: Client, clock: VirtualClock): Promise<Item> {
  const items = defineOperationKind<Item>({
    kind: 'test.item',
    waiter,
    scheduler: new PollScheduler({ clock, random: () => 0.5 }),
    poll: (id, signal) => client.exchange(getItem, { path: { item_id: id } }, { maxAttempts: 1, signal }),
  })
  return items.handle('a').wait()
}

it.each<[string, (client: Client, clock: VirtualClock) => Promise<unknown>]>([
  ['R-31: an error of another call ends a wait if the credential throws it', waitFor],
  [
    'an error of another call ends a stream of events if the credential throws it',
    async (client) => collect(await client.send(watching(), {}, RECONNECT)),
  ],
])('%s', async (_, use) => {
  const service = ({ url }: Request) =>
    url.endsWith('/watch') ? events(event(1)) : json({ id: 'a', status: 'queued' })
  for (const [name, create] of foreignErrors) {
    const error = create()
    const clock = virtualClock()
    const { reads, credentials } = failing(error)
    await using client = clientFor(service, { clock, credentials })
    expect(await rejection(use(client, clock)), name).toBe(error)
    expect(reads.count, name).toBe(2)
  }
})

it.each(foreignErrors)(
  'R-21: an error of another call says nothing about a submission that it kept from being sent: %s',
  async (_name, create) => {
    const error = create()
    const { reads, credentials } = failing(error)
    reads.count = 1
    await using client = clientFor(() => json({}), { credentials })
    expect(await rejection(client.send(createItem, body))).toBe(error)
    expect(outcomeOf(error)).toBe('not-sent')
    expect(reads.count).toBe(2)
  },
)

it.each(foreignErrors)(
  'R-21: an error of another call says nothing about a submission that it aborted: %s',
  async (_name, create) => {
    const inFlight = create()
    const controller = new AbortController()
    await using client = clientFor(() => {
      controller.abort(inFlight)
      return new Promise(() => undefined)
    })
    expect(await rejection(client.send(createItem, body, { signal: controller.signal }))).toBe(inFlight)
    expect(outcomeOf(inFlight)).toBe('uncertain')

    // The least certain outcome counts for all calls that were aborted with it.
    const key = keyFrom(() => new Promise<string>(() => undefined))
    await using slow = clientFor(() => json({}), { credentials: { key } })
    expect(await rejection(slow.send(createItem, body, { signal: abortSoon(inFlight) }))).toBe(inFlight)
    expect(outcomeOf(inFlight)).toBe('uncertain')

    const between = create()
    const { signal, client: other } = withRetry(() => between)
    expect(await rejection(other.send(createItem, body, { signal }))).toBe(between)
    expect(outcomeOf(between)).toBe('uncertain')
  },
)

it.each(foreignErrors)(
  'R-47: an error of another call is final if the rate limit throws it: %s',
  async (_name, create) => {
    const error = create()
    let asked = 0
    const rateLimit = {
      acquire() {
        asked += 1
        return Promise.reject(error)
      },
    }
    await using client = clientFor(() => json({}), { clock: virtualClock(), rateLimit })
    expect(await rejection(client.send(getItem, { path: { item_id: 'a' } }))).toBe(error)
    expect(asked).toBe(1)
  },
)

it('R-21: the reason of an abort does not mean that the submission was accepted, even if it has an id', async () => {
  const submission = { ...createItem, outcome: { id: '/id' } } as const
  const known = { submitted: { method: 'POST', path: '/x', fields: [] }, submittedAtMs: 0, remedy: '' }
  const reasons = () => [
    new SubmissionUncertainError('other work', { ...known, id: 'other' }),
    new ContractDriftError('other work', [], {}, { id: 'other' }),
  ]
  const never = () => new Promise<never>(() => undefined)
  const accept = () => json({ id: 'a', status: 'queued' })
  for (const [service, signalOf, outcome, options] of [
    [never, abortSoon, 'uncertain', {}],
    [accept, AbortSignal.abort.bind(AbortSignal), 'not-sent', {}],
    [accept, abortSoon, 'not-sent', { rateLimit: { acquire: never } }],
  ] as const)
    for (const reason of reasons()) {
      await using client = clientFor(service, options)
      const signal = signalOf(reason)
      expect(await rejection(submit(client, submission, body, { signal }))).toBe(reason)
      expect(outcomeOf(reason)).toBe(outcome)
    }
})

it('R-20, R-21: a submission whose rejected credential cannot be renewed has the outcome `denied`, and is not repeated', async () => {
  const error = new ConnectionError('foreign', { phase: 'connect', sent: 'no' })
  const rejected = (): never => {
    throw error
  }
  const { client, transport } = scene([json({}, { status: 401 })], {
    credentials: { key: keyFrom(KEY, rejected) },
  })
  expect(await rejection(client.send(createItem, body))).toBe(error)
  expect(outcomeOf(error)).toBe('denied')
  expect(transport.requests).toHaveLength(1)
})

it('R-21: a client that is closed before another attempt does not hide that the first may have been accepted', async () => {
  const { client } = withRetry((open) => void open.close())
  expect(await rejection(client.send(createItem, body))).toMatchObject({
    code: 'submission-uncertain',
    cause: { code: 'connection', sent: 'no' },
  })
})

it('R-31: a session whose token cannot be refreshed during an outage does not end a wait', async () => {
  const { clock, server, session } = await setUp()
  server.failNext(...Array.from({ length: 5 }, () => () => Promise.reject(notSent())))
  await clock.advance(70 * MINUTE)
  const statuses = ['queued', 'completed']
  await using client = clientFor(() => json({ id: 'a', status: statuses.shift() }), {
    clock,
    credentials: { key: session.credential },
  })
  const waiting = waitFor(client, clock)
  await clock.advance(5 * MINUTE)
  expect(await waiting).toMatchObject({ status: 'completed' })
  await session.close()
})

it("R-42: a caller's error during a refresh is not the rejection of the refresh token", async () => {
  const { clock, server, session } = await setUp()
  const error = new AuthenticationError('foreign', emptyResponse(401))
  const { reads, credentials } = failing(error)
  reads.count = 1
  await using client = clientFor(() => json({}), { credentials })
  server.failNext(async () => void (await client.send(createItem, body)))
  await clock.advance(70 * MINUTE)
  expect(await rejection(session.accessToken())).toBe(error)
  expect(isOfCaller(error)).toBe(true)
  expect(await session.accessToken()).toBe('access-2')
  await session.close()
})

/** A signal that is aborted in the next turn of the event loop. */
function abortSoon(reason: unknown): AbortSignal {
  const controller = new AbortController()
  setImmediate(() => controller.abort(reason))
  return controller.signal
}

/** A client whose service responds with 503, and what happens when the retry is announced. */
function withRetry(act: (client: Client) => unknown) {
  const controller = new AbortController()
  const client: Client = clientFor(() => json({}, { status: 503 }), {
    clock: virtualClock(),
    observe({ type }) {
      if (type !== 'retry') return
      const reason = act(client)
      if (reason !== undefined) controller.abort(reason)
    },
  })
  return { client, signal: controller.signal }
}
