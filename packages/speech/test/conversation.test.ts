import { expect, it } from 'vitest'
import * as z from 'zod'

import { ConfigureDeniedError } from '../src/socket-errors.ts'
import { jsonOf, rejection, replying, take, wired } from './support.ts'

it('opens /v2/listen with its only model, whether or not it is passed', async () => {
  const wire = wired()
  await wire.speech.converse()
  expect(wire.peer.url.href).toBe('ws://speech.test/prefix/v2/listen?model=flux-general-en')
  await wire.speech.converse(
    { model: 'flux-general-en', encoding: 'any' },
    { extra: { query: { other: 1 } } },
  )
  expect(wire.peer.url.search).toBe('?model=flux-general-en&encoding=any&other=1')
})

it.each([
  ['the bare name flux', { model: 'flux' }, '/query/model'],
  ['a model of /v1/listen', { model: 'nova-3' }, '/query/model'],
])('converse() rejects %s before anything is opened', async (_, options, path) => {
  const { speech, sockets } = wired()
  const error = await rejection(speech.converse(options as object))
  expect(error).toMatchObject({ code: 'invalid-request', issues: [{ path }] })
  expect(sockets.requests).toHaveLength(0)
})

it.each(['smart_format', 'diarize', 'punctuate'])(
  'converse() rejects the unavailable option %s, also in `extra`, and points to `listen`',
  async (name) => {
    const { speech, sockets } = wired()
    const query = { [name]: true }
    for (const attempt of [speech.converse(query), speech.converse({}, { extra: { query } })])
      expect(await rejection(attempt)).toMatchObject({
        code: 'invalid-request',
        issues: [{ path: `/query/${name}` }],
        operation: 'conversation',
        message:
          `conversation: /query/${name} isn't available in \`converse\`; omit it, or use \`listen\`. ` +
          'No connection was opened.',
      })
    expect(sockets.requests).toHaveLength(0)
  },
)

it('converse() rejects `language` and `encoding` for containerized audio', async () => {
  const { speech, sockets } = wired()
  const error = await rejection(speech.converse({ encoding: 'any', language: 'en' }, { containerized: true }))
  expect(error).toMatchObject({ issues: [{ path: '/query/encoding' }, { path: '/query/language' }] })
  expect(sockets.requests).toHaveLength(0)
})

it('converse() sends no KeepAlive, because only /v1/listen is documented to have one', async () => {
  const { clock, peer } = await conversing()
  await clock.advance(60_000)
  expect(peer.received).toEqual([])
})

it('R-56: configure() sends thresholds as strings, and only what was passed', async () => {
  const { conversation, peer } = await conversing('{"type":"ConfigureSuccess"}')
  await conversation.configure({ thresholds: { eot_threshold: 0.75, eot_timeout_ms: 5000 } })
  await conversation.configure({
    thresholds: { eot_timeout_ms: 1e-7 },
    extraThresholds: { extra: '7', mode: 'eager' },
  })
  await conversation.configure({ keyterms: ['ferry'] })
  await conversation.configure({ thresholds: {} })
  await conversation.configure({ thresholds: { eot_threshold: undefined as unknown as number } })
  await conversation.configure({ keyterms: [] })
  expect(jsonOf(peer)).toEqual([
    { type: 'Configure', thresholds: { eot_threshold: '0.75', eot_timeout_ms: '5000' } },
    { type: 'Configure', thresholds: { extra: '7', mode: 'eager', eot_timeout_ms: '1e-7' } },
    { type: 'Configure', keyterms: ['ferry'] },
    { type: 'Configure' },
    { type: 'Configure' },
    { type: 'Configure', keyterms: [] },
  ])
})

it("R-56: configure() throws a ConfigureDeniedError with the service's reply if the service denies the change", async () => {
  const { conversation } = await conversing('{"type":"ConfigureFailure","any":"reason"}')
  const error = await rejection(conversation.configure({ thresholds: { eot_threshold: 7 } }))
  expect(error).toBeInstanceOf(ConfigureDeniedError)
  expect(error).toMatchObject({
    code: 'operation-failed',
    advice: 'fix-input',
    reply: { type: 'ConfigureFailure', any: 'reason' },
  })
})

it("a confirmation of another form is an ordinary event and isn't reported as drift", async () => {
  const { conversation, peer, drift } = await conversing()
  peer.send('{"applied":{"eot_threshold":"0.8"}}')
  expect(await take(conversation, 1)).toEqual([
    { type: 'event', data: { applied: { eot_threshold: '0.8' } } },
  ])
  expect(drift).toEqual([])
})

it('R-56: `replies` decides how to recognize the replies to configure()', async () => {
  const rules = {
    success: { pointer: '/meta/event', equals: 'configured' },
    failure: { pointer: '/meta/ok', equals: false },
  }
  const replies = ['{"meta":{"event":"configured"}}', '{"type":"ConfigureSuccess"}', '{"meta":{"ok":false}}']
  const wire = replying((peer) => {
    peer.send(replies.shift() ?? '{}')
    if (replies.length === 1) peer.send(replies.shift() ?? '{}')
  })
  const conversation = await wire.speech.converse({}, { replies: rules })
  expect(await conversation.configure({})).toEqual({ meta: { event: 'configured' } })
  expect(await rejection(conversation.configure({}))).toMatchObject({ reply: { meta: { ok: false } } })
  expect(await take(conversation, 1)).toEqual([{ type: 'event', data: { type: 'ConfigureSuccess' } }])
})

it.each([
  [{ success: { pointer: '/a', equals: 1 } }, 'replies.failure'],
  [{ success: { pointer: 'a', equals: 1 }, failure: { pointer: '/a', equals: 2 } }, 'replies.success'],
  [{ success: { equals: 1 }, failure: { pointer: '/a', equals: 2 } }, 'replies.success'],
  [{ success: { pointer: '/a' }, failure: { pointer: '/a', equals: 2 } }, 'replies.success'],
  [{ success: { pointer: '/a', equals: 1, at: 1 } }, 'replies.success.at'],
  [{ success: { pointer: '/a', equals: 1 }, other: {} }, 'replies.other'],
])('rejects %o as `replies`', async (rules, option) => {
  const { speech, sockets } = wired()
  expect(await rejection(speech.converse({}, { replies: rules } as object))).toMatchObject({ option })
  expect(sockets.requests).toHaveLength(0)
})

it.each<[path: string, configuration: unknown, message?: string]>([
  ['', undefined, 'configure: the configuration must be an object. Nothing was sent.'],
  ['/keyterms', { keyterms: 'ferry' }, 'configure: /keyterms must be an array of strings. Nothing was sent.'],
  ['/thresholds', { thresholds: '0.5' }],
  ['/thresholds', { thresholds: null }],
  ['/threshold', { threshold: { eot_threshold: 0.5 } }],
  ['/thresholds/eot_treshold', { thresholds: { eot_treshold: 0.5 } }],
  ['/extraThresholds', { extraThresholds: 5 }],
  ...[Number.NaN, Infinity, 'high'].map((eot_threshold): [string, unknown, string] => [
    '/thresholds/eot_threshold',
    { thresholds: { eot_threshold } },
    'configure: /thresholds/eot_threshold must be a finite number, such as 0.8. Nothing was sent.',
  ]),
  ...['', ' ', '0x10'].map((eot_threshold): [string, unknown] => [
    '/thresholds/eot_threshold',
    { thresholds: { eot_threshold } },
  ]),
])('rejects %s in the configuration %o, with nothing sent', async (path, configuration, message) => {
  const { conversation, peer, clock } = await conversing()
  const error = await rejection(conversation.configure(configuration as object))
  expect(error).toMatchObject({ code: 'invalid-request', issues: [{ path }], operation: 'conversation' })
  if (message !== undefined) expect(error).toMatchObject({ message })
  await clock.settle()
  expect(peer.received).toEqual([])
})

it.each(['.8', '+0.8', '1.', '8e-1'])('sends the string %s unchanged as a threshold', async (spelled) => {
  const { conversation, peer } = await conversing('{"type":"ConfigureSuccess"}')
  await conversation.configure({ thresholds: { eot_threshold: spelled as unknown as number } })
  expect(jsonOf(peer)).toEqual([{ type: 'Configure', thresholds: { eot_threshold: spelled } }])
})

it('a schema types and converts the values that configure() returns', async () => {
  const { conversation } = await conversing(
    '{"type":"ConfigureSuccess","thresholds":{"eot_threshold":"0.8"}}',
  )
  const schema = z.object({ thresholds: z.object({ eot_threshold: z.coerce.number() }) })
  const applied = await conversation.configure({ thresholds: { eot_threshold: 0.8 } }, { schema })
  expect(applied.thresholds.eot_threshold).toBe(0.8)
})

it('R-05: if a schema rejects the reply to configure(), the error says that the change took effect', async () => {
  const { conversation } = await conversing('{"type":"ConfigureSuccess"}')
  const schema = z.object({ thresholds: z.object({}) })
  const error = await rejection(conversation.configure({ keyterms: ['a'] }, { schema }))
  expect(error).toMatchObject({
    code: 'contract-drift',
    issues: [{ path: '/thresholds' }],
    data: { type: 'ConfigureSuccess' },
  })
  expect(String(error)).toContain(
    "configure: the change took effect, but its confirmation doesn't match `schema`.",
  )
  const wrong = { schema: {} as typeof schema }
  expect(await rejection(conversation.configure({}, wrong))).toMatchObject({ option: 'schema' })
})

it('R-32: configure() without a reply throws a TimeoutError, and the conversation continues', async () => {
  const { conversation, clock, peer } = await conversing()
  const waiting = rejection(conversation.configure({ keyterms: ['a'] }, { timeoutMs: 2000 }))
  await clock.advance(2000)
  const error = await waiting
  expect(error).toMatchObject({ code: 'timeout', limitMs: 2000, elapsedMs: 2000, operation: 'conversation' })
  expect(String(error)).toContain('yielded it as an event. In that case, pass or correct `replies`.')
  peer.send('{"turn":1}')
  expect(await take(conversation, 1)).toEqual([{ type: 'event', data: { turn: 1 } }])
})

it('R-56: the TimeoutError of configure() says that the reply may be behind unread events', async () => {
  const wire = wired()
  const receiving = { maxMessages: 2 }
  const conversation = await wire.speech.converse({}, { receiving })
  for (let turn = 0; turn < 10; turn++) wire.peer.send('{"turn":1}')
  await wire.clock.settle()
  const late = rejection(conversation.configure({ keyterms: ['a'] }, { timeoutMs: 1000 }))
  await wire.clock.settle()
  wire.peer.send('{"type":"ConfigureSuccess"}')
  await wire.clock.advance(1000)
  expect(await late).toMatchObject({ code: 'timeout' })
  expect(String(await late)).toMatch(/received messages are waiting to be read.*keep reading/)
})

/** Opens a conversation with a service that sends the same reply, if any, to every message. */
async function conversing(reply?: string) {
  const wire = replying((peer) => void (reply !== undefined && peer.send(reply)))
  const conversation = await wire.speech.converse()
  return { ...wire, conversation, peer: wire.peer }
}
