import { inspect } from 'node:util'

import type { SocketError } from '@concord/runtime'
import { expect, it } from 'vitest'
import * as z from 'zod'

import type { LiveTranscription } from '../src/index.ts'
import { EncodingMismatchError } from '../src/socket-errors.ts'
import { liveTranscription } from '../src/gen/channels.gen.ts'
import { bytes, jsonOf, KEY, rejection, take, unhandledRejections, wired } from './support.ts'

it('opens /v1/listen with its options in the URL and the key as Token in the header', async () => {
  const wire = wired()
  await wire.speech.listen({
    model: 'nova-3',
    smart_format: true,
    redact: ['a', 'b'],
    utterance_end_ms: 1000,
  })
  expect(wire.peer.url.href).toBe(
    'ws://speech.test/prefix/v1/listen?model=nova-3&utterance_end_ms=1000&smart_format=true&redact=a&redact=b',
  )
  expect(wire.peer.headers.get('authorization')).toBe(`Token ${KEY}`)
})

it('R-50: events of any kind arrive unchanged: JSON, text, bytes', async () => {
  const { live, peer } = await listening()
  peer.send('{"anything":[1]}')
  peer.send('no JSON')
  peer.send(bytes(7))
  expect(await take(live, 3)).toEqual([
    { type: 'event', data: { anything: [1] } },
    { type: 'other', data: 'no JSON' },
    { type: 'other', data: bytes(7) },
  ])
})

it("R-50: the caller's schema types the events; events that it rejects arrive as `other`", async () => {
  const wire = wired()
  const schema = z.object({ kind: z.literal('words'), text: z.string() })
  await using live = await wire.speech.listen({}, { schema })
  wire.peer.send('{"kind":"words","text":"hello","more":1}')
  wire.peer.send('{"kind":"noise"}')
  const [words, noise] = await take(live, 2)
  if (words?.type !== 'event') return expect.unreachable()
  expect(words.data.text.toUpperCase()).toBe('HELLO')
  expect(noise).toMatchObject({ type: 'other', data: { kind: 'noise' } })
  expect(noise?.type === 'other' && noise.issues?.map(({ path }) => path)).toEqual(['/kind', '/text'])
  const slow = z.object({ kind: z.string() }).refine(async () => true)
  await using other = await wire.speech.listen({}, { schema: slow })
  wire.peer.send('{"kind":"words"}')
  const reader = other[Symbol.asyncIterator]()
  expect(await reader.next()).toEqual({ done: false, value: { type: 'event', data: { kind: 'words' } } })
  expect(await reader.return?.()).toEqual({ done: true, value: undefined })
})

it('sendJson() sends any JSON value, and rejects other values', async () => {
  const { live, peer, clock } = await listening()
  await live.sendJson({ type: 'Anything' })
  await clock.settle()
  expect(jsonOf(peer)).toEqual([{ type: 'Anything' }])
  // A value without a JSON form rejects the promise; nothing is thrown synchronously.
  for (const value of [undefined, () => 1, 1n])
    expect(await rejection(live.sendJson(value))).toBeInstanceOf(Error)
  await clock.settle()
  expect(peer.received).toHaveLength(1)
})

it('connect() opens a channel with messages as on the wire, within the same connection limit', async () => {
  const weighed: unknown[] = []
  const wire = wired({ connectionLimit: 1, weigh: (opening) => weighed.push(opening) })
  const query = { model: 'nova' } as const
  await using channel = await wire.speech.connect(liveTranscription, { query, extra: { query: { a: 1 } } })
  await channel.send('keepAlive', { type: 'KeepAlive' })
  wire.peer.send('{"any":1}')
  expect(await take(channel, 1)).toEqual([{ type: 'message', message: 'serverEvent', data: { any: 1 } }])
  expect(wire.peer.url.href).toBe('ws://speech.test/prefix/v1/listen?model=nova&a=1')
  expect(wire.peer.received).toEqual(['{"type":"KeepAlive"}'])
  expect(weighed).toEqual([{ channel: 'liveTranscription', query: { model: 'nova', a: 1 } }])
})

it('a client without the base URL of the agent opens every other channel', async () => {
  const { speech } = wired({ agentUrl: undefined } as object)
  await using channel = await speech.connect(liveTranscription, {})
  expect(channel.state).toBe('open')
})

it('listen() rejects a model of the other family and a misspelled socket option before anything is opened', async () => {
  const { speech, sockets } = wired()
  const model = 'flux-general-en' as 'nova-3'
  expect(await rejection(speech.listen({ model }))).toMatchObject({
    code: 'invalid-request',
    issues: [{ path: '/query/model' }],
  })
  expect(await rejection(speech.listen({}, { recconect: true } as object))).toMatchObject({
    code: 'invalid-options',
  })
  expect(await rejection(speech.listen({}, { schema: {} as never }))).toMatchObject({ option: 'schema' })
  expect(sockets.requests).toHaveLength(0)
})

it('listen() rejects `encoding` for containerized audio', async () => {
  const { speech, sockets } = wired()
  const error = await rejection(speech.listen({ encoding: 'any', language: 'en' }, { containerized: true }))
  expect(error).toMatchObject({ code: 'invalid-request', issues: [{ path: '/query/encoding' }] })
  expect(String(error)).toMatch(
    /No connection was opened\. Omit `encoding` for .* omit `containerized` instead\.$/,
  )
  const extra = { query: { encoding: 'any' } }
  expect(await rejection(speech.listen({}, { containerized: true, extra }))).toMatchObject({
    issues: [{ path: '/query/encoding' }],
  })
  expect(sockets.requests).toHaveLength(0)
  await speech.listen({ language: 'en' }, { containerized: true })
  await speech.listen({ encoding: 'any' })
  expect(sockets.requests).toHaveLength(2)
})

it('R-58: DATA-0000 is never retried, and everything gets the same error', async () => {
  for (const [code, inMessage] of [
    [1011, false],
    [1000, false],
    [1000, true],
  ] as const) {
    const wire = wired()
    const live = await wire.speech.listen({ encoding: 'wrong' }, { reconnect: true })
    const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }
    const sending = rejection(live.sendFrom(silent))
    if (inMessage) wire.peer.send('{"error":{"code":"DATA-0000"}}')
    else wire.peer.close(code, 'DATA-0000')
    if (inMessage) expect(await take(live, 1)).toMatchObject([{ type: 'event' }])
    const error = await rejection(take(live, 1))
    expect(error).toBeInstanceOf(EncodingMismatchError)
    expect(await sending).toBe(error)
    expect(await rejection(live.sendAudio(bytes(1)))).toBe(error)
    expect((await live.close()).error).toBe(error)
    expect((await live.finish()).error).toBe(error)
    await wire.clock.advance(60_000)
    expect(wire.sockets.requests).toHaveLength(1)
  }
})

it('R-59: an ignored failure to send reaches the loop and `closed`, and a handled one leaves the connection open', async () => {
  const unhandled = unhandledRejections()
  const mine = new Error('the microphone failed')
  const failing = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(mine) }) }
  const invalid = expect.objectContaining({ code: 'invalid-request' }) as unknown
  const sends: [send: (live: LiveTranscription) => Promise<void>, error: unknown][] = [
    [(live) => live.sendFrom(failing), mine],
    [(live) => live.sendJson(1n), invalid],
    [(live) => live.sendAudio('audio' as never), invalid],
  ]
  for (const [send, error] of sends) {
    const ignored = await listening()
    void send(ignored.live)
    expect(await rejection(take(ignored.live, 1))).toEqual(error)
    expect((await ignored.live.closed).error).toEqual(error)
    // After the end there is nothing left to report.
    void send(ignored.live)
    const handled = await listening()
    expect(await rejection(send(handled.live))).toEqual(error)
    await handled.clock.settle()
    expect(handled.live.state).toBe('open')
  }
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
})

it('R-59: an ignored source and finish() end the loop after the recording', async () => {
  const { live, clock, peer } = await listening()
  void live.sendFrom([bytes(1), bytes(2)])
  void live.finish({ quietMs: 1000 })
  const events = take(live, 2)
  peer.send('{"text":"a"}')
  await clock.advance(1100)
  expect(await events).toEqual([{ type: 'event', data: { text: 'a' } }])
})

it('R-54: rejects `reconnect` for audio in a container, because it would start in the middle of the file', async () => {
  const { speech, sockets } = wired()
  const socket = { containerized: true, reconnect: true }
  expect(await rejection(speech.listen({}, socket))).toMatchObject({ option: 'reconnect' })
  expect(await rejection(speech.converse({}, socket))).toMatchObject({ option: 'reconnect' })
  expect(sockets.requests).toHaveLength(0)
  await speech.listen({}, { containerized: true, reconnect: false })
})

it('R-55, R-57: a denied upgrade shows status and body, and says what 429 means here', async () => {
  const { speech } = wired({}, { onConnect: () => ({ status: 429, body: '{"any":"thing"}' }) })
  const error = await rejection(speech.listen())
  expect(error).toMatchObject({ code: 'socket-denied', status: 429, body: '{"any":"thing"}' })
  expect(String(error)).toMatch(/too many connections are open.*`connectionLimit`/)
  expect(String(error)).not.toContain('apiKey')
})

it('R-55: an upgrade denied with 401 says which credential goes where, and keeps status, headers and body', async () => {
  const { speech } = wired(
    {},
    { onConnect: () => ({ status: 401, body: 'who are you', headers: { 'retry-after': '7' } }) },
  )
  const error = await rejection(speech.listen())
  expect(error).toMatchObject({
    code: 'socket-denied',
    status: 401,
    body: 'who are you',
    retryAfterMs: 7000,
    operation: 'liveTranscription',
  })
  expect((error as SocketError).headers.get('retry-after')).toBe('7')
  expect(String(error)).toMatch(/apiKey.*Token.*accessToken.*Bearer.*function that returns a fresh JWT/)
})

it('R-57: a limit caps the open connections, and costly ones weigh more', async () => {
  const weigh = ({ query }: { query: Readonly<Record<string, unknown>> }) =>
    query['diarize'] === true ? 2 : 1
  const { speech, sockets, clock } = wired({ connectionLimit: 2, weigh })
  const costly = await speech.listen({ diarize: true })
  const waiting = speech.listen()
  await clock.settle()
  expect(sockets.requests).toHaveLength(1)
  await costly.close()
  await waiting
  await speech.converse()
  expect(sockets.requests).toHaveLength(3)
  const heavy = wired({ connectionLimit: 2, weigh: () => 3 })
  expect(String(await rejection(heavy.speech.listen()))).toContain(
    '`weight` is 3, but must be above 0 and at most 2',
  )
  // Without a limit, there is nothing to weigh.
  await wired({ weigh: () => expect.unreachable() }).speech.listen()
})

it('R-55: `await using` closes the connection after sent data is transmitted', async () => {
  const wire = wired()
  {
    await using live = await wire.speech.listen()
    wire.peer.stall()
    await live.sendAudio(bytes(1))
    expect(live.bufferedBytes).toBe(1)
    wire.peer.unstall()
  }
  expect(wire.peer.received).toEqual([bytes(1)])
  expect(wire.peer.closedBy).toMatchObject({ code: 1000 })
})

it('R-11: inspecting the client, a connection or an error never shows the key', async () => {
  const { speech, live, peer } = await listening()
  peer.close(1011, `leaks ${KEY}`)
  const error = await rejection(take(live, 1))
  for (const shown of [speech, live, error, await live.closed])
    expect(
      inspect(shown, { depth: 9, showHidden: true }) + JSON.stringify(shown) + String(shown),
    ).not.toContain(KEY)
})

async function listening() {
  const wire = wired()
  const live = await wire.speech.listen()
  return { ...wire, live, peer: wire.peer }
}
