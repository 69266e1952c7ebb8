import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { OperationDescriptor } from '../core/descriptors.ts'
import {
  AuthenticationError,
  ConnectionError,
  OptionsError,
  type Sent,
  SubmissionUncertainError,
} from '../core/errors.ts'
import type { ClientEvent } from '../core/events.ts'
import { outcomeOf } from '../retry/outcome.ts'
import { emptyResponse, unreadable } from '../retry/test-support/foreign-errors.ts'
import { type MemoryHandler, scriptedTransport, type ScriptStep } from '../testing/transports.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import type { ClientOptions } from './client-options.ts'
import type { Client } from './client.ts'
import { fetchTransport } from './fetch-transport.ts'
import { stream } from './stream.ts'
import { clientFor, keyFrom, reply, streamOf } from './test-support/clients.ts'
import { createItem, getItem, input, item, json, KEY, rejection } from './test-support/fixtures.ts'
import type { RequestControl, Transport } from './transport.ts'

const clientOver = (service: MemoryHandler | Transport, options: Partial<ClientOptions> = {}): Client =>
  clientFor(service, { retry: { maxAttempts: 1 }, clock: virtualClock(), ...options })

function failing(error: unknown, sent: Sent = 'no'): Transport {
  return {
    async send({ control }) {
      control.sent = sent
      throw error
    },
  }
}

it.each([
  ['no', 'connect'],
  ['maybe', 'send'],
  ['yes', 'receive'],
] as const)(
  'R-20: an unknown error of a transport is a ConnectionError of what was sent: %s',
  async (sent, phase) => {
    const error = await rejection(clientOver(failing(new TypeError('gone'), sent)).send(getItem, input))
    expect(error).toMatchObject({
      code: 'connection',
      operation: 'getItem',
      sent,
      phase,
      cause: { message: 'gone' },
    })
  },
)

it('R-11: errors of a transport keep their class, and credentials are removed from their causes', async () => {
  const cause = new Error(`quotes ${KEY}`)
  const own = new ConnectionError('cut', { phase: 'send', sent: 'maybe' }, { cause })
  expect(await rejection(clientOver(failing(own)).send(getItem, input))).toMatchObject({
    message: 'getItem: cut',
    sent: 'maybe',
    cause: { message: 'quotes [redacted]' },
  })
  const named = new ConnectionError(
    'getItem: cut',
    { phase: 'send', sent: 'maybe' },
    { cause, operation: 'getItem' },
  )
  expect(await rejection(clientOver(failing(named)).send(getItem, input))).toBe(named)
  expect(named).toMatchObject({ message: 'getItem: cut', cause: { message: 'quotes [redacted]' } })
  const foreign = new ConnectionError(`other: ${KEY}`, named, { cause, operation: 'other' })
  const failure = await rejection(clientOver(failing(foreign)).send(getItem, input))
  expect(failure).toMatchObject({ operation: 'getItem', cause: { message: 'other: [redacted]' } })
  expect(inspect(failure, { depth: 9 })).not.toContain(KEY)
  const other = unreadable(200)
  expect(await rejection(clientOver(failing(other)).send(getItem, input))).toBe(other)
  expect(Object.hasOwn(other, 'cause')).toBe(false)
})

it('R-11: credentials are removed from the cause of a broken stream', async () => {
  const broken = new ReadableStream({ pull: (body) => body.error(new Error(`quotes ${KEY}`)) })
  const client = clientOver(() => reply(broken, 'application/json'))
  const { body } = await stream(client, getItem, input)
  const error = await rejection(body.getReader().read())
  expect(error).toMatchObject({
    code: 'connection',
    operation: 'getItem',
    cause: { message: 'quotes [redacted]' },
  })
})

const media = { 200: { kind: 'binary', contentType: 'audio/*', isMedia: true } } as const
const { check: _, ...base } = createItem
const speak = {
  ...base,
  responses: media,
  retry: { class: 'unsent-only', statuses: [504] },
} as OperationDescriptor
const empty = () => reply(new Uint8Array(0), 'audio/mpeg')

it('R-21: a streamed media file without a byte has an uncertain outcome, unless the operation is safe', async () => {
  const steps = [json({}, { status: 504 }), empty()]
  const client = clientOver(() => steps.shift() ?? empty(), { retry: { maxAttempts: 2 } })
  const { body } = await stream(client, speak, { body: {} })
  expect(await rejection(body.getReader().read())).toMatchObject({
    code: 'submission-uncertain',
    status: 200,
    possibleDuplicates: 2,
    cause: { message: expect.stringContaining('the body is empty, and the contract requires a media file') },
  })
  for (const response of [
    new Response(null, { status: 204 }),
    reply('', 'audio/mpeg', { headers: { 'content-length': '0' } }),
  ]) {
    const known = clientOver(() => response)
    expect(await rejection(stream(known, speak, { body: {} }))).toMatchObject({
      code: 'submission-uncertain',
    })
  }
  const pieces: Uint8Array[] = []
  const some = () => reply(streamOf(pieces), 'audio/mpeg')
  pieces.push(new Uint8Array(0))
  const silent = await stream(clientOver(some), speak, { body: {} })
  expect(await rejection(new Response(silent.body).bytes())).toMatchObject({ code: 'submission-uncertain' })
  pieces.push(new Uint8Array(1), new Uint8Array(0))
  const heard = await stream(clientOver(some), speak, { body: {} })
  expect(await new Response(heard.body).bytes()).toHaveLength(1)
  const safe = await stream(client, { ...speak, retry: { class: 'safe' } }, { body: {} })
  expect(await rejection(safe.body.getReader().read())).toMatchObject({ code: 'unexpected-content' })
})

const submit = {
  ...createItem,
  retry: { class: 'unsent-only', statuses: [504] },
  outcome: { id: '/id' },
} as const
const remove = { ...submit, method: 'DELETE', responses: { 204: { kind: 'empty' } }, outcome: {} } as const
const html = reply('<p>', 'text/html')
const again = { status: 504, failure: 'http' }
const cases: [string, OperationDescriptor, ScriptStep[], object[]][] = [
  ['drift', getItem as never, [json({ id: 1 })], [{ status: 200 }]],
  ['an unreadable success', getItem as never, [html], [{ status: 200, failure: 'unexpected-content' }]],
  ['a missing id', submit as never, [json({})], [{ status: 200, failure: 'submission-uncertain' }]],
  [
    'a deletion that was done',
    remove as never,
    [json({}, { status: 504 }), json({}, { status: 404 })],
    [again, { status: 404 }],
  ],
]
it.each(cases)('R-60: reports an attempt once for %s', async (_, operation, steps, expected) => {
  const events: ClientEvent[] = []
  const observe = (event: ClientEvent): void => void (event.type === 'request' && events.push(event))
  const transport = scriptedTransport(...(steps as [ScriptStep]))
  const client = clientOver(transport, { observe, onDrift: () => undefined, retry: { maxAttempts: 2 } })
  await client.send(operation, { ...input, body: {} }).catch(() => undefined)
  expect(events).toMatchObject(expected)
  expect(events).toHaveLength(expected.length)
  for (const [index, event] of events.entries()) {
    expect((event as { failure?: string }).failure).toBe((expected[index] as { failure?: string }).failure)
  }
})

it('R-60: reports an attempt once for a response that is read as a stream', async () => {
  const events: ClientEvent[] = []
  const client = clientOver(() => json(item), { observe: (event) => events.push(event) })
  const { body } = await stream(client, getItem, input)
  expect(events).toMatchObject([{ type: 'request', operation: 'getItem', status: 200 }])
  await body.cancel()
  expect(events).toHaveLength(1)
})

const reason = new Error('the user left')

it('R-03: a caller that aborts while its credential is read sends nothing', async () => {
  const controller = new AbortController()
  const value = (): string => {
    controller.abort(reason)
    return KEY
  }
  const transport = scriptedTransport(json(item))
  const client = clientOver(transport, { credentials: { key: keyFrom(value) } })
  expect(await rejection(client.send(getItem, input, { signal: controller.signal }))).toBe(reason)
  expect(transport.requests).toHaveLength(0)
})

it('R-03: a transport gets one signal, also if it asks for it after the abort', async () => {
  const controller = new AbortController()
  const began = Promise.withResolvers<RequestControl>()
  const transport: Transport = {
    send(request) {
      began.resolve(request.control)
      return new Promise((_, reject) => request.control.onCancel(reject))
    },
  }
  const sending = rejection(clientOver(transport).send(getItem, input, { signal: controller.signal }))
  const control = await began.promise
  controller.abort(reason)
  expect(control.signal.reason).toBe(reason)
  expect(control.signal).toBe(control.signal)
  expect(await sending).toBe(reason)
})

it('R-03: the first reason counts, even if the transport takes longer than the time limit to end', async () => {
  const controller = new AbortController()
  const clock = virtualClock({ autoAdvance: false })
  const { promise, reject } = Promise.withResolvers<never>()
  const began = Promise.withResolvers<void>()
  const transport: Transport = {
    send() {
      began.resolve()
      return promise
    },
  }
  const client = clientOver(transport, { clock, timeoutMs: 1000 })
  const sending = rejection(client.send(getItem, input, { signal: controller.signal }))
  await began.promise
  controller.abort(reason)
  await clock.advance(1000)
  reject(new Error('ended at last'))
  expect(await sending).toBe(reason)
})

it('R-03: an aborted stream leaves no listener on the other signals', async () => {
  const [own, other] = [new AbortController(), new AbortController()]
  const client = clientOver(() => json(item), { signal: other.signal })
  await stream(client, getItem, input, { signal: own.signal })
  expect(getEventListeners(other.signal, 'abort')).toHaveLength(1)
  own.abort(reason)
  expect(getEventListeners(other.signal, 'abort')).toHaveLength(0)
})

const refreshed = (
  rejected: () => boolean | Promise<boolean>,
  code = 401,
  options: Partial<ClientOptions> = {},
) => {
  const transport = scriptedTransport(json({}, { status: code }), json(item))
  const clock = virtualClock()
  let asked = 0
  const key = keyFrom(KEY, () => (asked++, rejected()))
  const client = clientOver(transport, {
    clock: { ...clock, monotonic: () => clock.monotonic() + 5_000 },
    credentials: { key },
    retry: { maxAttempts: 2 },
    ...options,
  })
  return { client, clock, transport, asked: () => asked }
}

it('refreshes a rejected credential only after a 401', async () => {
  const denied = refreshed(() => true, 403)
  expect(await rejection(denied.client.send(getItem, input))).toMatchObject({ status: 403 })
  expect(denied.asked()).toBe(0)
})

it('R-02: the refresh of a credential takes no longer than the time limit or the deadline, whichever is shorter', async () => {
  const never = (): Promise<boolean> => new Promise(() => undefined)
  const limits = [
    [{ timeoutMs: 1000 }, 'timeout', 1000],
    [{ timeoutMs: 1000, deadline: 3000 }, 'timeout', 1000],
    [{ timeoutMs: 3000, deadline: 2000 }, 'deadline', 2000],
    [{ timeoutMs: 2000, deadline: 2000 }, 'deadline', 2000],
  ] as const
  for (const [options, code, ms] of limits) {
    const { client, clock, transport } = refreshed(never, 401, options)
    expect(await rejection(client.send(getItem, input))).toMatchObject({
      code,
      limitMs: ms,
      operation: 'getItem',
    })
    expect(clock.elapsedMs).toBe(ms)
    expect(transport.requests).toHaveLength(1)
  }
})

it('R-03: sends nothing with the new credential if the caller aborts at the same time', async () => {
  const controller = new AbortController()
  const reason = new Error('the user left')
  const late = refreshed(async () => {
    queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => controller.abort(reason))))
    return true
  })
  expect(await rejection(late.client.send(getItem, input, { signal: controller.signal }))).toBe(reason)
  expect(late.transport.requests).toHaveLength(1)
})

const operation = 'fetchToken'
/** Errors of another call, such as one with which a transport fetched a token. */
const foreignErrors = [
  () => new ConnectionError('foreign', { phase: 'connect', sent: 'no' }, { operation }),
  () => new AuthenticationError('foreign', emptyResponse(401)),
  () => new OptionsError('foreign', 'is wrong.', 'Fix it.'),
  () =>
    new SubmissionUncertainError('foreign', {
      id: 'another',
      remedy: '',
      submittedAtMs: 0,
      possibleDuplicates: 1,
      submitted: { method: 'POST', path: '/', fields: [] },
    }),
].map((create) => [create().name, create] as const)

it.each(foreignErrors)(
  'R-21: an error of another call that a transport throws is not the outcome of the call: %s',
  async (_name, create) => {
    let sends = 0
    await using client = clientFor(() => json({}), {
      transport: {
        send({ control }) {
          sends += 1
          control.sent = 'maybe'
          return Promise.reject(create())
        },
      },
    })
    const error = await rejection(client.send(createItem, { body: { name: 'a' } }))
    expect(error).toMatchObject({
      code: 'submission-uncertain',
      cause: { code: 'connection', sent: 'maybe' },
    })
    expect(error).not.toHaveProperty('id', 'another')
    expect(outcomeOf(error)).toBe('uncertain')
    expect(sends).toBe(1)
  },
)

it('R-21: an error of another call that `fetch` throws is not the response of the service', async () => {
  const fetch = () => Promise.reject(unreadable(403))
  await using client = clientFor(() => json({}), { transport: fetchTransport({ fetch }) })
  const error = await rejection(client.send(createItem, { body: { name: 'a' } }))
  expect(error).toMatchObject({ code: 'submission-uncertain', cause: { code: 'connection' } })
})
