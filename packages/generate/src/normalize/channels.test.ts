import { stringify } from 'yaml'
import { describe, expect, it } from 'vitest'

import { documentOf } from '../../test/support/generated.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { type Source, parseSource } from '../read/source.ts'
import type { ChannelModel } from './model.ts'
import { readService } from './service.ts'

const text = { type: 'string' }
const file = 'specs/test/asyncapi.yaml'
const openapi = documentOf({ components: { schemas: { Shared: text } } })

/** A payload with a distinguishing `type`. */
const tagged = (type: string, more: object = {}) => ({
  type: 'object',
  required: ['type'],
  properties: { type: { const: type }, ...more },
})
const json = (payload: object) => ({ payload })
const to = (channel: string, ...keys: string[]) => ({
  channel: { $ref: `#/channels/${channel}` },
  ...(keys.length > 0
    ? { messages: keys.map((key) => ({ $ref: `#/channels/${channel}/messages/${key}` })) }
    : {}),
})
const bytes = { contentType: 'application/octet-stream' }

const server = { host: '{feed_url}', protocol: 'wss', variables: { feed_url: {} } }
const channel = {
  address: '/live',
  messages: {
    ask: json(tagged('ask')),
    sound: bytes,
    tell: json(tagged('tell')),
    note: json({ type: 'object' }),
  },
}
const operations = {
  ask: { action: 'receive', ...to('live', 'ask', 'sound') },
  tell: { action: 'send', ...to('live', 'tell', 'note') },
}

/** A document with one channel, `live`, some of whose members are replaced. */
function withChannel(members: object, more: object = {}): Source {
  const document = {
    asyncapi: '3.0.0',
    info: { title: 'Test', version: '1.0.0' },
    servers: { feed: server },
    channels: { live: { ...channel, ...members } },
    operations,
    ...more,
  }
  return parseSource(stringify(document, { aliasDuplicateObjects: false }), file)
}

const withMessages = (messages: object, more: object = {}) =>
  withChannel({ messages: { ...channel.messages, ...messages } }, more)
const withReplies = (messages: object) =>
  withMessages(messages, {
    operations: { ...operations, more: { action: 'send', ...to('live', ...Object.keys(messages)) } },
  })
const withOperation = (operation: object) =>
  withChannel({}, { operations: { ...operations, ask: { ...operations.ask, ...operation } } })
const withServer = (members: object, more: object = {}) =>
  withChannel({}, { servers: { feed: { ...server, ...members } }, ...more })
const withQuery = (query: unknown) => withChannel({ bindings: { ws: { query } } })
const withRules = (rules: unknown) => withChannel({ 'x-socket-rules': rules })

const keepAlive = { message: 'ask', payload: { type: 'ask' }, minIntervalMs: 1, maxIntervalMs: 2 }
const at = '#/channels/live'
const messages = `${at}/messages`
const ws = `${at}/bindings/ws`
const rules = `${at}/x-socket-rules`
const schemes = (scheme: object) => ({ components: { securitySchemes: { key: scheme } } })

type Rejection = readonly [name: string, events: Source, pointer: string, reason: RegExp]

const rejections: readonly Rejection[] = [
  ['another version of AsyncAPI', withChannel({}, { asyncapi: '4.0.0' }), '#/asyncapi', /only AsyncAPI 1\.0 to 2\.6, 3\.0 and 3\.1/],
  ['a parameter that its address does not have', withChannel({ parameters: { room: {} } }), `${at}/parameters/room`, /not in the address/],
  ['a parameter in an address', withChannel({ address: '/live/{room}' }), `${at}/address`, /`room` is not described/],
  ['a query in an address', withChannel({ address: '/live?a=b' }), `${at}/address`, /not meant to have a query/],
  ["an address that isn't a path", withChannel({ address: 'live' }), `${at}/address`, /doesn't begin with \//],
  ["a name that can't name a variable", withChannel({}, { channels: { 'a-b': channel }, operations: { a: { action: 'receive', ...to('a-b', 'ask', 'sound') }, b: { action: 'send', ...to('a-b', 'tell', 'note') } } }), '#/channels/a-b', /camelCase/],
  ['a message whose name is a reserved word', withReplies({ delete: json(tagged('x')) }), `${messages}/delete`, /reserved word/],
  ['a message that is never sent', withMessages({ lost: json(tagged('lost')) }), `${messages}/lost`, /no operation says who sends/],
  ['no server', withChannel({}, { servers: {} }), at, /no server/],
  ['several servers', withChannel({}, { servers: { feed: server, other: server } }), at, /several servers/],
  ['another protocol', withServer({ protocol: 'kafka' }), '#/servers/feed/protocol', /don't support the protocol `kafka`/],
  ['a path of a server', withServer({ pathname: '/v1' }), '#/servers/feed/pathname', /part of the base URL that the caller passes/],
  ['a binding of another protocol', withChannel({ bindings: { kafka: {} } }), `${at}/bindings/kafka`, /only the binding `ws`/],
  ['a handshake with POST', withChannel({ bindings: { ws: { method: 'POST' } } }), `${ws}/method`, /clients ignore `method`/],
  ['headers of a handshake', withChannel({ bindings: { ws: { headers: { type: 'object', properties: { a: text } } } } }), `${ws}/headers`, /clients ignore `headers`/],
  ["a query that isn't an object", withQuery({ type: 'object', additionalProperties: text }), `${ws}/query`, /named property for each/],
  ['a query of several forms', withQuery({ anyOf: [{ type: 'object', properties: { a: text } }, { type: 'object', properties: { b: text } }] }), `${ws}/query`, /needs `type: object`/],
  ['an object in a query', withQuery({ type: 'object', properties: { a: { type: 'object' } } }), `${ws}/query/properties/a`, /is an object/],
  ['a keyword in a query', withQuery({ type: 'object', properties: { a: { ...text, then: {} } } }), `${ws}/query/properties/a/then`, /no effect/],
  ['headers of a message', withMessages({ ask: { ...json(tagged('ask')), headers: { type: 'object' } } }), `${messages}/ask/headers`, /a WebSocket message has no headers/],
  ['headers from a trait of a message', withMessages({ ask: { ...json(tagged('ask')), traits: [{ headers: { type: 'object' } }] } }), `${messages}/ask/traits/0/headers`, /a WebSocket message has no headers/],
  ['a correlation id', withMessages({ ask: { ...json(tagged('ask')), correlationId: { location: '$message.header#/id' } } }), `${messages}/ask/correlationId/location`, /has no `\$message\.header#\/id`/],
  ['a type that is neither JSON nor bytes', withMessages({ ask: { ...json(tagged('ask')), contentType: 'text/plain' } }), `${messages}/ask/contentType`, /messages of type `text\/plain` isn't parsed/],
  ['a type of the document that is neither', withChannel({ messages: { ask: json(tagged('ask')), sound: bytes } }, { defaultContentType: 'application/xml', operations: { all: { action: 'receive', ...to('live') } } }), `${messages}/ask`, /messages of type `application\/xml` isn't parsed/],
  ['a schema in another format', withMessages({ ask: json({ schemaFormat: 'application/vnd.apache.avro;version=1.9.0', schema: {} }) }), `${messages}/ask/payload/schemaFormat`, /are ignored; write an AsyncAPI schema/],
  ['a keyword beside a reference', withMessages({ ask: json(tagged('ask', { a: { $ref: '#/components/schemas/A', maxLength: 1 } })) }, { components: { schemas: { A: text } } }), `${messages}/ask/payload/properties/a`, /`maxLength` beside `\$ref` has no effect/],
  ['a discriminator', withMessages({ ask: json({ ...tagged('ask'), discriminator: 'type' }) }), `${messages}/ask/payload/discriminator`, /propertyName/],
  ['a limit of bytes', withMessages({ sound: { ...bytes, payload: { ...text, maxLength: 9 } } }), `${messages}/sound/payload/maxLength`, /whose bytes aren't checked/],
  ['a binary message that refers to a string', withMessages({ sound: { ...bytes, payload: { $ref: './openapi.yaml#/components/schemas/Shared' } } }), `${messages}/sound/payload`, /does not describe bytes/],
  ['bytes inside of JSON', withMessages({ ask: json(tagged('ask', { a: { $ref: '#/components/schemas/Raw' } })) }, { components: { schemas: { Raw: { ...text, format: 'binary' } } } }), `${messages}/ask/payload`, /bytes at `a`/],
  ['a pushed message of bytes', withChannel({}, { channels: { live: channel, pushed: { address: null, messages: { sound: bytes } } } }), '#/channels/pushed/messages/sound', /can only be JSON/],
  ['two messages with the same tag', withReplies({ again: json(tagged('tell')) }), `${messages}/again`, /could not tell `tell` and `again` apart/],
  ['two messages with tags at different places', withReplies({ other: json({ type: 'object', required: ['kind'], properties: { kind: { const: 'a' } } }) }), `${messages}/other`, /could not tell `tell` and `other` apart/],
  ['two messages without tags', withReplies({ other: json({ type: 'object', required: ['b'], properties: { b: text } }) }), `${messages}/other`, /could not tell `note` and `other` apart/],
  ['a tag that is an open enum', withReplies({ other: json({ type: 'object', required: ['type'], properties: { type: { ...text, enum: ['other'], 'x-open-enum': true } } }) }), `${messages}/other`, /could not tell `note` and `other` apart/],
  ['a tag that may be missing', withReplies({ other: json({ type: 'object', properties: { type: { const: 'other' } } }) }), `${messages}/other`, /could not tell `note` and `other` apart/],
  ['two binary messages of the service', withReplies({ one: bytes, two: bytes }), `${messages}/two`, /both binary/],
  ['something beside the members of a channel', withChannel({ $schema: 'a' }), `${at}/$schema`, /of a channel is ignored/],
  ['a binding of an operation', withOperation({ bindings: { ws: {} } }), '#/operations/ask/bindings', /`bindings` of an operation on a channel is ignored/],
  ['a message of another channel', withChannel({}, { channels: { live: channel, other: { address: null, messages: { a: json(text) } } }, operations: { ...operations, more: { action: 'send', channel: { $ref: at }, messages: [{ $ref: '#/channels/other/messages/a' }] } } }), '#/operations/more/messages/0', /message of the channel itself/],
  ['a reply at an address of its own', withOperation({ reply: { address: { location: '$message.payload#/to' }, ...to('live', 'tell') } }), '#/operations/ask/reply/address', /on the same connection/],
  ['a reply on another channel', withChannel({}, { channels: { live: channel, other: { ...channel, address: '/other' } }, operations: { ...operations, a: { action: 'receive', ...to('other', 'ask', 'sound') }, b: { action: 'send', ...to('other', 'tell', 'note') }, c: { action: 'receive', ...to('live', 'ask'), reply: { channel: { $ref: '#/channels/other' }, messages: [{ $ref: `${messages}/tell` }] } } } }), '#/operations/c/reply/channel', /another channel/],
  ['a reply without its messages', withOperation({ reply: { channel: { $ref: at } } }), '#/operations/ask/reply', /must list its `messages`/],
  ['a reply that the client owes', withChannel({}, { operations: { ...operations, tell: { ...operations.tell, reply: to('live', 'ask') } } }), '#/operations/tell/reply', /as ordinary messages/],
  ['a credential that no handshake carries', withServer({ security: [{ $ref: '#/components/securitySchemes/key' }] }, schemes({ type: 'plain' })), '#/components/securitySchemes/key/type', /don't know how `plain` is sent/],
  ['a credential in a place that no request has', withServer({ security: [{ $ref: '#/components/securitySchemes/key' }] }, schemes({ type: 'apiKey', in: 'user' })), '#/components/securitySchemes/key/type', /in a named header, query parameter or cookie/],
  ['a credential without a name', withServer({ security: [{ type: 'http', scheme: 'bearer' }] }), '#/servers/feed/security/0', /refer to a security scheme/],
  ['operations that ask for different credentials', withServer({ security: [{ $ref: '#/components/securitySchemes/key' }] }, { components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' }, other: { type: 'http', scheme: 'basic' } } }, operations: { ...operations, ask: { ...operations.ask, security: [{ $ref: '#/components/securitySchemes/other' }] } } }), '#/operations/ask/security', /one handshake/],
  ["rules that aren't an object", withRules(true), rules, /must be an object/],
  ['a rule that is not known', withRules({ pingMs: 1 }), `${rules}/pingMs`, /isn't a valid member; valid members: keepAlive/],
  ['a part of a rule that is not known', withRules({ gate: { message: 'ask', until: 'tell' } }), `${rules}/gate/until`, /isn't a valid member; valid members: message$/],
  ['to keep alive with a message that the client does not send', withRules({ keepAlive: { ...keepAlive, message: 'tell' } }), `${rules}/keepAlive/message`, /sends no message `tell`/],
  ['to keep alive with bytes', withRules({ keepAlive: { ...keepAlive, message: 'sound' } }), `${rules}/keepAlive/message`, /is binary/],
  ['to keep alive with nothing', withRules({ keepAlive: { ...keepAlive, payload: undefined } }), `${rules}/keepAlive`, /`payload` is missing/],
  ['to keep alive with another message than the one named', withRules({ keepAlive: { ...keepAlive, payload: { type: 'Ask' } } }), `${rules}/keepAlive/payload`, /`ask` always has "ask" at "\/type"/],
  ['to keep alive too late', withRules({ keepAlive, idleCloseMs: 2 }), `${rules}/keepAlive`, /would close the connection before the next keep-alive/],
  ['to keep alive at no time', withRules({ keepAlive: { ...keepAlive, minIntervalMs: 3 } }), `${rules}/keepAlive/maxIntervalMs`, /less than/],
  ["a time that isn't a number", withRules({ idleCloseMs: '10s' }), `${rules}/idleCloseMs`, /must be an integer/],
  ['a gate that nothing has to pass', withChannel({ messages: { ask: channel.messages.ask, tell: channel.messages.tell }, 'x-socket-rules': { gate: { message: 'ask' } } }, { operations: { ask: { action: 'receive', ...to('live', 'ask') }, tell: { action: 'send', ...to('live', 'tell') } } }), `${rules}/gate`, /sends none/],
  ['to repeat a message that the client does not send', withRules({ replay: ['note'] }), `${rules}/replay/0`, /sends no message `note`/],
  ['to repeat bytes', withRules({ replay: ['sound'] }), `${rules}/replay/0`, /is binary/],
  ['a type that is defined by a component too', withChannel({}, { components: { schemas: { LiveQuery: text } } }), at, /`LiveQuery` is defined twice/],
  ['a map that is defined by a component too', withChannel({}, { components: { schemas: { LiveSends: text } } }), at, /`LiveSends` is defined twice/],
] // prettier-ignore

describe('the generator, in strict mode,', () => {
  it.each(rejections)('rejects %s, with its place', async (_, events, pointer, reason) => {
    const found = await problemsOf(openapi, events)
    const own = found.find((problem) => problem.place.pointer === pointer && reason.test(problem.reason))
    expect(own ?? found).toMatchObject({ reason: expect.stringMatching(reason) })
    expect(own?.place.file).toBe(file)
    expect(own?.place.line).toBeGreaterThan(0)
    // One mistake causes one problem. Only the validation of the whole document may report more.
    expect(found.filter((problem) => problem !== own && !/not valid AsyncAPI/.test(problem.reason))).toEqual(
      [],
    )
  })

  it('rejects a channel with the name of an operation', async () => {
    const responses = { '204': { description: '' } }
    const get = { operationId: 'live', 'x-retry': { class: 'safe' }, responses }
    const found = await problemsOf(documentOf({ paths: { '/': { get } } }), withChannel({}))
    expect(found).toMatchObject([
      { place: { file, pointer: at }, reason: expect.stringContaining('name of an operation') },
    ])
  })

  it('rejects a reference to a component that only the other document has', async () => {
    const events = withMessages({ ask: json({ $ref: '#/components/schemas/Shared' }) })
    const found = await problemsOf(openapi, events)
    expect(found[0]).toMatchObject({ reason: expect.stringContaining('is not in this file') })
  })
})

describe('a channel', () => {
  const read = async (events: Source): Promise<ChannelModel> => {
    const [first] = (await readService(openapi, events)).channels
    if (!first) throw new Error('there is no channel')
    return first
  }
  const keys = ({ messages }: ChannelModel['sends']) => messages.map(({ key }) => key)

  it('is described without any problem in the unchanged document', async () => {
    const model = await read(withChannel({}))
    expect(model).toMatchObject({
      id: 'live',
      address: '/live',
      server: 'feedUrl',
      security: [],
      query: [],
      replies: {},
      rules: {},
    })
    expect(keys(model.sends)).toEqual(['ask', 'sound'])
    expect(keys(model.receives)).toEqual(['tell', 'note'])
  })

  it('has all messages of the channel where an operation names none', async () => {
    const events = withChannel(
      { messages: { ask: channel.messages.ask, sound: bytes } },
      { operations: { all: { action: 'receive', ...to('live') } } },
    )
    const model = await read(events)
    expect(keys(model.sends)).toEqual(['ask', 'sound'])
    expect(keys(model.receives)).toEqual([])
  })

  it('may have a message both ways', async () => {
    const model = await read(
      withChannel({}, { operations: { ...operations, echo: { action: 'send', ...to('live', 'sound') } } }),
    )
    expect(keys(model.sends)).toContain('sound')
    expect(keys(model.receives)).toContain('sound')
  })

  it('receives the replies, which no other operation has to name', async () => {
    const reply = { messages: [{ $ref: `${messages}/tell` }, { $ref: `${messages}/note` }] }
    const events = withChannel(
      {},
      {
        operations: {
          ask: { ...operations.ask, ...to('live', 'ask'), reply },
          sound: { action: 'receive', ...to('live', 'sound') },
        },
      },
    )
    const model = await read(events)
    expect(model.replies).toEqual({ ask: ['tell', 'note'] })
    expect(keys(model.receives)).toEqual(['tell', 'note'])
  })

  it("is opened on baseUrl if its host isn't a variable", async () => {
    expect((await read(withServer({ host: 'feed.example' }))).server).toBe('baseUrl')
    expect(
      (await read(withServer({ host: '{region}.feed.example', variables: { region: {} } }))).server,
    ).toBe('baseUrl')
  })

  it('has the one server that it names among several', async () => {
    const events = withChannel(
      { servers: [{ $ref: '#/servers/other' }] },
      { servers: { feed: server, other: { ...server, host: '{other_url}', variables: { other_url: {} } } } },
    )
    expect((await read(events)).server).toBe('otherUrl')
  })

  it('takes the credentials of its operations where its server asks for none', async () => {
    const security = [{ $ref: '#/components/securitySchemes/key' }]
    const events = withChannel(
      {},
      {
        ...schemes({ type: 'http', scheme: 'bearer' }),
        operations: { ...operations, ask: { ...operations.ask, security } },
      },
    )
    expect((await read(events)).security).toEqual(['key'])
  })

  it('needs no credential if its server says that it is optional', async () => {
    const security = [{ $ref: '#/components/securitySchemes/key' }]
    const more = schemes({ type: 'http', scheme: 'bearer' })
    const optional = await read(withServer({ security, 'x-security-optional': true }, more))
    expect(optional).toMatchObject({ security: ['key'], securityOptional: true })
    expect(await read(withServer({ security }, more))).toMatchObject({ securityOptional: false })
  })

  it('has the members of its traits where it has none of its own, the later trait first', async () => {
    const ask = {
      ...json(tagged('ask')),
      description: 'Mine.',
      traits: [
        { summary: 'First', description: 'Not mine.' },
        { summary: 'Second', contentType: 'application/hal+json' },
      ],
    }
    const [message] = (await read(withMessages({ ask }))).sends.messages
    expect(message).toMatchObject({
      doc: 'Second.\n\nMine.',
      contentType: 'application/hal+json',
      kind: 'json',
    })
  })

  it('takes bytes for binary where the payload says so and the message says nothing else', async () => {
    const sound = { payload: { $ref: '#/components/schemas/Raw' } }
    const model = await read(
      withMessages(
        { sound },
        { components: { schemas: { Raw: { ...text, contentMediaType: 'application/octet-stream' } } } },
      ),
    )
    expect(model.sends.messages[1]).toMatchObject({
      kind: 'binary',
      contentType: 'application/octet-stream',
      type: 'Raw',
    })
  })

  it('tells messages without tags apart by schemas that no value fits both of', async () => {
    const rows = json({ type: 'array', items: {} })
    const model = await read(withReplies({ rows, word: json(text) }))
    expect(keys(model.receives)).toEqual(['tell', 'note', 'rows', 'word'])
  })

  it('tries a message with more tags first, wherever it stands', async () => {
    const special = json({ ...tagged('tell', { kind: { const: 'special' } }), required: ['type', 'kind'] })
    const model = await read(withReplies({ special }))
    expect(keys(model.receives)).toEqual(['special', 'tell', 'note'])
  })

  it('knows the secrets of its query, of its messages and of references, once each', async () => {
    const secret = { ...text, 'x-secret': true }
    const events = withChannel(
      {
        messages: {
          ...channel.messages,
          ask: json(tagged('ask', { code: secret, deep: { $ref: '#/components/schemas/Deep' } })),
        },
        bindings: { ws: { query: { type: 'object', properties: { ticket: secret, pin: secret } } } },
      },
      {
        components: {
          schemas: { Deep: { type: 'array', items: { type: 'object', properties: { pin: secret } } } },
        },
      },
    )
    expect((await read(events)).secrets).toEqual(['code', 'pin', 'ticket'])
  })
})
