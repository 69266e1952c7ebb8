/**
 * AsyncAPI documents by other teams: with parameters in paths, text that isn't JSON, several protocols, or no servers.
 */
import type { JsonObject, SocketSpec } from '@concord/spec-model'
import { describe, expect, it } from 'vitest'

import {
  createSocketSuite,
  serveMock,
  serveSocketMock,
  verifySockets,
  type SocketSubject,
} from '../../src/index.ts'
import { channelSpecOf, specOf } from '../fixture/documents.ts'

const said = { payload: { type: 'object', required: ['words'], properties: { words: { type: 'string' } } } }
const messages = {
  sends: { say: { contentType: 'text/plain', examples: [{ payload: 'hello there' }] } },
  receives: { said, picture: { contentType: 'image/png' } },
}
/** A document without servers, unless `more` has some. */
const read = (more: JsonObject = {}): SocketSpec =>
  channelSpecOf({ address: 'rooms/{room_id}', parameters: { room_id: {} } }, messages, {
    servers: undefined,
    ...more,
  })

describe('a document about WebSockets', () => {
  it("can be served and verified with parameters in URLs and text that isn't JSON", async () => {
    const spec = read()
    const events: string[] = []
    await using mock = await serveSocketMock({
      spec,
      onEvent: (one) =>
        events.push(`${one.kind} ${one.channel} ${one.findings.map(({ message }) => message).join()}`),
    })
    const options = { spec, baseUrl: mock.url, allow: ['say'], listenMs: 500 }
    const without = await verifySockets(options)
    expect(without.operations[0]?.checks[0]?.reasons).toEqual(['needs --param room_id=...'])
    const report = await verifySockets({ ...options, params: { room_id: 'blue room' } })
    expect(report.operations[0]).toMatchObject({ path: '/rooms/{room_id}', state: 'pass' })
    expect(events).toContain('opened only ')
    expect(events.filter((one) => one.startsWith('frame')).length).toBeGreaterThan(1)
  })

  it('takes the values of parameters from the document', () => {
    const spec = read({
      channels: {
        room: {
          address: '/{a}/{b}/{c}',
          parameters: { a: { enum: ['x', 'y'] }, b: { default: 'z', examples: ['w'] } },
        },
      },
      operations: {},
    })
    expect(spec.channels[0]?.parameters).toEqual({ a: ['x', 'y'], b: ['z', 'w'], c: [] })
  })

  it('is read without channels of other protocols, and with the first WebSocket server', () => {
    const servers = {
      queue: { host: 'queue.example', protocol: 'kafka' },
      live: { host: 'live.example', pathname: '/v1', protocol: 'wss' },
      test: { host: 'test.example', protocol: 'wss' },
    }
    expect(read({ servers }).channels.map(({ server }) => server)).toEqual(['live.example/v1'])
    expect(read({ servers: { queue: servers.queue } }).channels).toEqual([])
  })

  it("may have payloads in another schema language, which aren't validated", () => {
    const messages = {
      avro: {
        payload: { schemaFormat: 'application/vnd.apache.avro;version=1.9.0', schema: { type: 'record' } },
      },
      json: {
        payload: { schemaFormat: 'application/schema+json;version=draft-07', schema: { type: 'string' } },
      },
    }
    const spec = read({
      channels: { room: { address: '/', messages } },
      operations: { tell: { action: 'send', channel: { $ref: '#/channels/room' } } },
    })
    expect(spec.channels[0]?.receives.map(({ key, schema }) => [key, schema?.schema])).toEqual([
      ['avro', undefined],
      ['json', { type: 'string' }],
    ])
  })

  it("is rejected by the client suite, which can't test such a channel", async () => {
    const subject = {} as SocketSubject
    await expect(createSocketSuite({ spec: read(), subject })).rejects.toThrow(
      /channel `only` has text messages that aren't JSON.*`verifySockets` or `serveSocketProxy`/,
    )
  })
})

describe('a document with references', () => {
  const message = (type: string) => ({
    payload: { type: 'object', required: ['type'], properties: { type: { const: type } } },
  })
  const parts = {
    channels: { room: { $ref: '#/components/channels/the room' }, other: { address: '/other', messages: { heard: message('heard') } } },
    components: { channels: { 'the room': { address: '/room', messages: { say: message('say'), said: message('said') } } } },
  } // prettier-ignore

  it('is resolved, and a reply on another channel is not a reply on this one', () => {
    const spec = read({
      ...parts,
      operations: {
        take: {
          action: 'receive',
          channel: { $ref: '#/components/channels/the%20room' },
          messages: [{ $ref: '#/channels/room/messages/say' }],
          reply: { channel: { $ref: '#/channels/other' }, messages: [{ $ref: '#/channels/other/messages/heard' }] },
        },
        tell: { action: 'send', channel: { $ref: '#/channels/room' }, messages: [{ $ref: '#/channels/room/messages/said' }] },
      },
    }) // prettier-ignore
    expect(spec.channels[0]).toMatchObject({
      address: '/room',
      sends: [{ key: 'say' }],
      receives: [{ key: 'said' }],
      replies: {},
    })
  })

  it('has no WebSocket channel if a channel without a server has bindings of other protocols', () => {
    const room = { address: 'orders', bindings: { kafka: {} }, messages: {} }
    expect(read({ channels: { room }, operations: {} }).channels).toEqual([])
  })

  it('is rejected if references are circular', () => {
    const channels = { room: { $ref: '#/channels/room/more' } }
    expect(() => read({ channels, operations: {} })).toThrow('a reference without a target')
  })

  it('is rejected with what to do if it is AsyncAPI 2', () => {
    expect(() => read({ asyncapi: '2.6.0' })).toThrow('is not an AsyncAPI 3 document')
  })
})

it('one port serves the mock of both operations and channels', async () => {
  const responses = { '200': { description: '', content: { 'text/plain': { example: 'up' } } } }
  const spec = specOf({ '/status': { get: { responses } } })
  const events: string[] = []
  await using mock = await serveMock({ spec, sockets: read(), onEvent: ({ kind }) => events.push(kind) })
  expect(await (await fetch(`${mock.url}/status`)).text()).toBe('up')
  const socket = new WebSocket(`${mock.url.replace('http', 'ws')}/rooms/blue`)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const response = new Promise((resolve) => socket.addEventListener('message', ({ data }) => resolve(data)))
  socket.send('hello there')
  expect(JSON.parse(String(await response))).toEqual({ words: expect.any(String) })
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve))
  await mock.close()
  await closed
  expect(events.slice(0, 2)).toEqual(['opened', 'frame'])
})
