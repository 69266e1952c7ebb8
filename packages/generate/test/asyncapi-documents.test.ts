import { Ajv } from 'ajv'
import { stringify } from 'yaml'
import { beforeAll, describe, expect, it } from 'vitest'

import { print } from '../src/generate.ts'
import type { ServiceModel } from '../src/normalize/model.ts'
import { readService } from '../src/normalize/service.ts'
import { parseSource } from '../src/read/source.ts'
import { typeCheck } from './support/compiler.ts'
import { accepted, loadSchemas, modelOf, printed, testService } from './support/generated.ts'

const file = 'specs/test/asyncapi.yaml'

/** Reads an AsyncAPI document without an OpenAPI document. */
function read(members: object): Promise<ServiceModel> {
  const whole = { asyncapi: '3.1.0', info: { title: 'Test', version: '1.0.0' }, ...members }
  return modelOf(parseSource(stringify(whole, { aliasDuplicateObjects: false }), file))
}

const departuresOf = ({ departures }: ServiceModel, effect: string) =>
  departures.filter((one) => one.effect === effect).map(({ place }) => place.pointer)
const ref = (pointer: string) => ({ $ref: pointer })
const tagged = (type: string, more: object = {}) => ({
  type: 'object',
  required: ['type'],
  properties: { type: { const: type }, ...more },
})

/** A document about a chat, written as for any other tool. */
const chat = {
  servers: {
    production: { host: 'chat.example:{port}', protocol: 'wss', pathname: '/v1', variables: { port: { default: '443' } } },
    staging: { host: 'staging.example', protocol: 'ws', description: 'For tests.' },
    events: { host: 'kafka.example', protocol: 'kafka' },
  },
  channels: {
    '/rooms/{room-id}': {
      address: '/rooms/{room-id}/{side}?v=2',
      servers: [ref('#/servers/production'), ref('#/servers/staging')],
      parameters: { 'room-id': { description: 'The room.' }, side: { enum: ['left', 'right'], default: 'left' } },
      bindings: { ws: { headers: { type: 'object' } }, mqtt: {} },
      messages: {
        'chat.say': ref('#/components/messages/say'),
        told: { payload: tagged('told', { id: { type: 'string' } }), correlationId: { location: '$message.payload#/id' } },
        shout: { payload: { type: 'object', properties: { text: { type: 'string' } } } },
        whisper: { payload: { type: 'object', properties: { softly: { type: 'string' } } } },
        'log line': { contentType: 'text/plain', headers: { type: 'object', properties: { level: { type: 'string' } } } },
        picture: { contentType: 'image/png' },
        lost: { payload: tagged('lost') },
      },
    },
    orders: {
      address: 'orders.placed',
      servers: [ref('#/servers/events')],
      messages: { placed: { payload: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } },
    },
  },
  operations: {
    say: {
      action: 'receive',
      channel: ref('#/channels/~1rooms~1{room-id}'),
      messages: [ref('#/components/messages/say')],
      reply: { messages: [ref('#/channels/~1rooms~1{room-id}/messages/told'), ref('#/channels/~1rooms~1{room-id}/messages/shout')] },
      bindings: { ws: {} },
    },
    hear: {
      action: 'send',
      channel: ref('#/channels/~1rooms~1{room-id}'),
      messages: ['shout', 'whisper', 'log line', 'picture'].map((key) => ref(`#/channels/~1rooms~1{room-id}/messages/${key}`)),
    },
  },
  components: {
    messages: {
      say: {
        payload: tagged('say', { id: { type: 'string' } }),
        traits: [{ correlationId: { location: '$message.payload#/id' } }],
      },
    },
  },
} // prettier-ignore

describe('an AsyncAPI document that was not written for this generator', () => {
  let model: ServiceModel
  beforeAll(async () => {
    model = await read(chat)
  })

  it('is read without an OpenAPI document', () => {
    expect(model).toMatchObject({ title: 'Test', version: '1.0.0', operations: [] })
    expect(model.sources.map((source) => source.file)).toEqual([file])
  })

  it('has channels at addresses with parameters, on a base URL that may be that of any of its servers', () => {
    expect(model.channels).toMatchObject([
      {
        id: 'roomsRoomId',
        address: '/rooms/{room-id}/{side}?v=2',
        parameters: [{ name: 'room-id' }, { name: 'side', default: 'left' }],
        parametersType: 'RoomsRoomIdParameters',
        server: 'baseUrl',
        servers: [
          {
            name: 'production',
            url: 'https://chat.example:{port}/v1',
            variables: { port: { default: '443' } },
          },
          { name: 'staging', url: 'http://staging.example', doc: 'For tests.' },
        ],
        rules: {},
      },
    ])
  })

  it('has messages by names that are legal, of which those that look alike are one', () => {
    const [channel] = model.channels
    expect(channel?.sends.messages.map(({ key }) => key)).toEqual(['chatSay', 'lost'])
    expect(channel?.receives.messages).toMatchObject([
      { key: 'told', kind: 'json', correlation: '/id', tags: [{ pointer: '/type', equals: 'told' }] },
      { key: 'lost', kind: 'json' },
      { key: 'shoutOrWhisper', kind: 'json', type: 'RoomsRoomIdShoutOrWhisper', tags: [] },
      { key: 'logLine', kind: 'text', type: undefined },
      { key: 'picture', kind: 'binary' },
    ])
    expect(channel?.sends.messages[0]).toMatchObject({ correlation: '/id' })
    expect(channel?.replies).toEqual({ chatSay: ['told', 'shoutOrWhisper'] })
    expect(model.schemas.has('RoomsRoomIdLogLineHeaders')).toBe(true)
  })

  it('has types and schemas, but no channel, where there is no transport', async () => {
    expect(model.schemas.get('OrdersPlacedPayload')).toMatchObject({ type: 'object', required: ['id'] })
    const reasons = model.departures.map(({ reason }) => reason)
    expect(reasons).toContainEqual(expect.stringContaining("clients don't support the protocol `kafka`"))
    const schemas = await loadSchemas(await printed(model))
    expect(accepted(schemas, 'ordersPlacedPayload', [{ id: 1 }, { id: 'a' }, {}])).toEqual([{ id: 1 }])
  })

  it('lists everything that is not as it is there', () => {
    const at = '#/channels/~1rooms~1{room-id}'
    expect(departuresOf(model, 'widened')).toEqual([`${at}/messages/whisper`, `${at}/messages/lost`])
    expect(departuresOf(model, 'noted').toSorted()).toEqual(
      [
        at,
        at,
        `${at}/address`,
        `${at}/bindings/mqtt`,
        `${at}/bindings/ws/headers`,
        `${at}/messages/chat.say`,
        `${at}/messages/log line`,
        `${at}/messages/log line/contentType`,
        `${at}/messages/log line/headers`,
        '#/operations/say/bindings',
        '#/servers/events/protocol',
        '#/servers/production/pathname',
      ].toSorted(),
    )
  })

  it('is generated as code that the strict compiler accepts, with the types that a caller expects', async () => {
    const folders = { validators: 'validators', client: 'client' }
    const files = new Map(
      [...(await print(model, { ...testService, className: 'Rooms' }))].map(([path, text]) => [
        path.replace(/^.*-validators\/src\/gen/, folders.validators).replace(/^.*\/src\/gen/, folders.client),
        text,
      ]),
    )
    const paths = { '@concord/test-validators': './validators/index.gen.ts' }
    expect(await typeCheck(files, CONSUMER, paths)).toBe('')
    expect(files.get('client/channels.gen.ts')).toContain("correlation: '/id'")
  })
})

const CONSUMER = `
import { type Client, connect } from '@concord/runtime'
import { roomsRoomId } from './client/channels.gen.ts'
import type { Rooms } from './client/client.gen.ts'

export async function talk(client: Client, rooms: Rooms): Promise<string> {
  const connection = await connect(client, roomsRoomId, { parameters: { 'room-id': 'a', side: 'right' } })
  // @ts-expect-error The parameter has no such value.
  await connect(client, roomsRoomId, { parameters: { 'room-id': 'a', side: 'middle' } })
  await connection.send('chatSay', { type: 'say', id: '1' })
  await rooms.connectRoomsRoomId({ parameters: { 'room-id': 'a', side: 'right' }, handshakeTimeoutMs: 1000 })
  // @ts-expect-error The address has parameters.
  await rooms.connectRoomsRoomId()
  // @ts-expect-error The address has parameters.
  await rooms.connectRoomsRoomId({ handshakeTimeoutMs: 1000 })
  for await (const { message, data } of connection) {
    if (message === 'logLine') return data.trim()
    if (message === 'shoutOrWhisper' && 'text' in data) return data.text ?? ''
  }
  return ''
}
`

describe('a channel without what others have', () => {
  const channel = {
    address: 'wss://feed.example/live#top',
    messages: { tick: { payload: { type: 'object' } } },
  }

  it('is opened on the base URL if there is no server, at the path of a whole URL', async () => {
    const model = await read({ channels: { live: channel } })
    expect(model.channels).toMatchObject([{ id: 'live', address: '/live', server: 'baseUrl', servers: [] }])
  })

  it('has no transport if its bindings are those of another protocol', async () => {
    const model = await read({ channels: { live: { ...channel, bindings: { kafka: {} } } } })
    expect(model.channels).toEqual([])
    expect(model.schemas.has('LiveTickPayload')).toBe(true)
  })

  it('has a base URL of its own if requests go to another host, or channels to several', async () => {
    const servers = {
      one: { host: 'one.example', protocol: 'wss' },
      two: { host: 'two.example', protocol: 'wss' },
    }
    const requests = parseSource(
      stringify({
        openapi: '3.1.0',
        info: { title: '', version: '' },
        servers: [{ url: 'https://api.example' }],
        paths: {},
      }),
      'openapi.yaml',
    )
    const events = (members: object) =>
      parseSource(
        stringify({
          asyncapi: '3.0.0',
          info: { title: '', version: '' },
          channels: { live: channel },
          ...members,
        }),
        file,
      )
    const beside = await readService(requests, events({ servers: { one: servers.one } }), { strict: false })
    expect(beside.channels[0]?.server).toBe('socketUrl')
    const second = { ...channel, servers: [ref('#/servers/two')] }
    const several = await read({ servers, channels: { live: channel, second } })
    expect(several.channels.map(({ server }) => server)).toEqual(['baseUrl', 'twoUrl'])
  })
})

describe('AsyncAPI 2', () => {
  const document = {
    asyncapi: '2.6.0',
    servers: { public: { url: 'wss://chat.example/v1', protocol: 'wss' } },
    channels: {
      '/rooms/{id}': {
        parameters: { id: { schema: { type: 'integer', enum: [1, 2] } } },
        publish: { operationId: 'say', message: ref('#/components/messages/say') },
        subscribe: {
          message: {
            oneOf: [
              { name: 'told', payload: tagged('told', { a: { type: 'string', pattern: '(' } }) },
              { payload: tagged('left') },
            ],
          },
        },
      },
    },
    components: {
      messages: {
        say: { payload: tagged('say'), schemaFormat: 'application/vnd.apache.avro;version=1.9.0' },
      },
    },
  }

  it('is converted, and a place is that of the document as it was written', async () => {
    const model = await read(document)
    expect(model.channels).toMatchObject([
      {
        id: 'roomsId',
        address: '/rooms/{id}',
        server: 'baseUrl',
        servers: [{ name: 'public', url: 'https://chat.example/v1' }],
        sends: { messages: [{ key: 'say' }] },
        receives: { messages: [{ key: 'told' }, {}] },
      },
    ])
    expect(departuresOf(model, 'widened')).toEqual([
      '#/channels/~1rooms~1{id}/parameters/id/schema',
      '#/components/messages/say/payload/schemaFormat',
      '#/channels/~1rooms~1{id}/subscribe/message/oneOf/0/payload/properties/a/pattern',
    ])
    expect(model.departures.every(({ place }) => place.line !== undefined)).toBe(true)
  })
})

describe('schemas of AsyncAPI', () => {
  it('mean what those of JSON Schema draft-07 mean', async () => {
    const payload = {
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
        dependencies: { type: 'object', dependencies: { a: ['b'], c: { required: ['d'] } } },
        named: { $ref: '#short' },
      },
    }
    const Short = { $id: '#short', type: 'string', maxLength: 2 }
    const components = { schemas: { Short }, messages: { whole: { payload } } }
    const schemas = await loadSchemas(await printed(await read({ components })))
    const judge = new Ajv({ strict: false }).compile({ ...payload, components: { schemas: { Short } } })
    const values = [
      { pair: ['a', 1] },
      { pair: ['a', 1, 2] },
      { pair: [1] },
      { dependencies: { a: 1 } },
      { dependencies: { a: 1, b: 1 } },
      { dependencies: { c: 1 } },
      { dependencies: { c: 1, d: 1 } },
      { named: 'abc' },
    ]
    expect(accepted(schemas, 'wholePayload', values)).toEqual(values.filter((value) => judge(value)))
  })

  it('have nothing but a reference where a reference is', async () => {
    const payload = { $ref: '#/components/schemas/Short', minLength: 9 }
    const components = {
      schemas: { Short: { type: 'string' } },
      messages: { whole: { payload: { type: 'array', items: payload } } },
    }
    const model = await read({ components })
    expect(departuresOf(model, 'noted')).toEqual(['#/components/messages/whole/payload/items'])
    const schemas = await loadSchemas(await printed(model))
    expect(accepted(schemas, 'wholePayload', [['a'], [1]])).toEqual([['a']])
  })
})

describe('names of channels and messages', () => {
  const channel = (...keys: string[]) => ({
    address: '/a',
    messages: Object.fromEntries(keys.map((key, index) => [key, { payload: tagged(`${index}`) }])),
  })

  it('are legal and differ from each other and from those of operations, whatever the document calls them', async () => {
    const responses = { '204': { description: '' } }
    const requests = parseSource(
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'T', version: '1' },
        paths: { '/': { get: { operationId: 'live', responses } } },
      }),
      'openapi.json',
    )
    const channels = {
      live: channel('delete', 'constructor', 'a-b', 'a_b', 'aB', '1st', '*/ }', ''),
      'a-b': channel(),
      a_b: channel(),
      aB: channel(),
      delete: channel(),
      '/': channel(),
      checks: channel(),
    }
    const events = parseSource(
      JSON.stringify({ asyncapi: '3.0.0', info: { title: 'T', version: '1' }, channels }),
      file,
    )
    const model = await readService(requests, events, { strict: false })
    expect(model.channels.map(({ id }) => id)).toEqual([
      'liveChannel',
      'aB2',
      'aB3',
      'aB',
      'channelDelete',
      'channel',
      'checksChannel',
    ])
    const [live] = model.channels
    expect(live?.sends.messages.map(({ key }) => key)).toEqual([
      'delete',
      'messageConstructor',
      'aB2',
      'a_b',
      'aB',
      'message1st',
      'message',
      'message2',
    ])
    const files = await printed(model)
    expect(files.get('channels.gen.ts')).not.toContain('*/ }')
    expect(files.get('channels.gen.ts')).toContain('export type AB2Sends = Record<never, never>\n')
  })
})
