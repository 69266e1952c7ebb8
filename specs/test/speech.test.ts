import { beforeAll, describe, expect, it } from 'vitest'

import { channelsOf } from './checks/channels.ts'
import { judgeOf } from './checks/examples.ts'
import { operationLines } from './checks/operations.ts'
import { objectAt, readDocument } from './document.ts'
import type { Json, JsonObject } from './document.ts'
import { documentedPart } from './documented.ts'
import { parseAsyncApi } from './services.ts'
import { operationsOf } from './walk.ts'

const DOCUMENTED = [
  'POST /v1/listen',
  'POST /v1/speak',
  'POST /v1/read',
  'GET /v1/models',
  'POST /v1/auth/grant',
  'GET /v1/agent/settings/think/models',
]
const openapi = documentedPart(readDocument('speech/openapi.yaml'), DOCUMENTED)
const asyncapi = readDocument('speech/asyncapi.yaml')
let resolved: JsonObject

beforeAll(async () => {
  resolved = (await parseAsyncApi('speech/asyncapi.yaml')).document
})

describe('operations', () => {
  it('are those of the documentation, and none for the families under /v1/projects/', () => {
    expect(operationLines(openapi)).toEqual(DOCUMENTED)
    const all = operationLines(readDocument('speech/openapi.yaml'))
    expect(all.filter((line) => line.includes(' /v1/projects/'))).toEqual([])
  })

  it('all accept an API key or a JWT, and none requires a credential, which the documentation leaves open', () => {
    expect(operationsOf(openapi).filter(({ value }) => 'security' in value)).toEqual([])
    expect(openapi['security']).toEqual([{ apiKey: [] }, { accessToken: [] }, {}])
    for (const server of Object.values(objectAt(asyncapi, 'servers')))
      expect(server).toMatchObject({ security: [{}, {}], 'x-security-optional': true })
    const schemes = objectAt(objectAt(openapi, 'components'), 'securitySchemes')
    expect(schemes).toMatchObject({ apiKey: { scheme: 'Token' }, accessToken: { scheme: 'bearer' } })
  })

  it('have no error except 429, for which a retry helps', () => {
    for (const { value } of operationsOf(openapi)) {
      const responses = objectAt(value, 'responses')
      expect(Object.keys(responses)).toEqual(['200', '429', 'default'])
    }
    const [meaning] = objectAt(objectAt(objectAt(openapi, 'components'), 'responses'), 'TooManyConnections')[
      'x-rate-meaning'
    ] as JsonObject[]
    expect(meaning).toMatchObject({ meaning: 'connections', retryHelps: true })
  })

  it('use {api_url}, except the language models of the agent', () => {
    const elsewhere = Object.entries(objectAt(openapi, 'paths')).filter(
      ([, item]) => 'servers' in (item as JsonObject),
    )
    expect(elsewhere.map(([path]) => path)).toEqual(['/v1/agent/settings/think/models'])
  })

  it('only /v1/listen has query parameters', () => {
    const named = operationsOf(openapi).filter(({ value }) => 'parameters' in value)
    expect(named.map(({ value }) => value['operationId'])).toEqual(['transcribe'])
    const list = named[0]?.value['parameters'] as { $ref: string }[]
    const parameters = objectAt(objectAt(openapi, 'components'), 'parameters')
    const names = list.map(({ $ref }) => objectAt(parameters, $ref.split('/').at(-1) ?? '')['name'])
    expect(names).toEqual(listenOptions)
  })
})

const listenOptions = [
  'model',
  'encoding',
  'language',
  'utterance_end_ms',
  'smart_format',
  'diarize',
  'punctuate',
  'summarize',
  'sentiment',
  'topics',
  'intents',
  'redact',
]

describe('channels', () => {
  it('include the four of the documentation, each with its messages by direction', () => {
    const lines = channelsOf(resolved).map(({ key, address, sends, receives }) => [
      key,
      address,
      sends,
      receives,
    ])
    // A message that is added later is checked by the contract tests of the client.
    const documented = (channel: string, address: string, sends: string[], receives: string[]) => [
      channel,
      address,
      expect.arrayContaining(sends),
      expect.arrayContaining(receives),
    ]
    expect(lines.slice(0, 4)).toEqual([
      documented('liveTranscription', '/v1/listen', ['audio', 'keepAlive'], ['serverEvent']),
      documented(
        'conversation',
        '/v2/listen',
        ['audio', 'configure'],
        ['configureSuccess', 'configureFailure', 'serverEvent'],
      ),
      documented('speechStream', '/v1/speak', ['speak'], ['audio', 'serverEvent']),
      documented('agent', '/v1/agent/converse', ['settings', 'audio'], ['audio', 'serverEvent']),
    ])
  })

  it('are opened on {api_url}, except the agent', () => {
    const servers = channelsOf(resolved).map(({ value }) => (value['servers'] as JsonObject[])[0]?.['host'])
    expect(servers).toEqual(['{api_url}', '{api_url}', '{api_url}', '{agent_url}'])
  })

  it('accept an API key or a JWT, over TLS', () => {
    for (const server of Object.values(objectAt(resolved, 'servers')) as JsonObject[]) {
      expect(server['protocol']).toBe('wss')
      expect(server['security']).toMatchObject([
        { type: 'http', scheme: 'Token' },
        { type: 'http', scheme: 'bearer' },
      ])
    }
  })

  it('have their options in the WebSocket binding, and the agent has none', () => {
    const options = channelsOf(resolved).map(({ value }) => {
      const query = objectAt(objectAt(value, 'bindings'), 'ws')['query']
      return query === undefined ? 'none' : Object.keys(objectAt(query as JsonObject, 'properties'))
    })
    expect(options).toEqual([listenOptions, ['model', 'language', 'encoding'], [], 'none'])
  })

  it('only /v1/listen has a keep-alive, as JSON every 3 to 5 s within the 10 s of an idle connection', () => {
    const rules = channelsOf(resolved).map(({ value }) => objectAt(value, 'x-socket-rules'))
    expect(rules.map((one) => [one['keepAlive'], one['idleCloseMs']])).toEqual([
      [
        {
          message: 'keepAlive',
          payload: { type: 'KeepAlive' },
          minIntervalMs: 3000,
          maxIntervalMs: 5000,
        },
        10_000,
      ],
      ...[1, 2, 3].map(() => [undefined, undefined]),
    ])
  })

  it("the agent's audio has to wait until Settings is acknowledged, by a message without a documented name", () => {
    const agent = channelsOf(resolved).find(({ key }) => key === 'agent')
    expect(objectAt(agent?.value ?? {}, 'x-socket-rules')).toEqual({
      emptyBinaryCloses: true,
      gate: { message: 'settings' },
      replay: ['settings'],
    })
  })
})

describe('payloads', () => {
  it.each<[string, boolean, string, Json]>([
    ['only the type', true, 'Configure', { type: 'Configure' }],
    ['one threshold', true, 'Configure', { type: 'Configure', thresholds: { eot_threshold: '0.75' } }],
    [
      'a threshold as a number',
      false,
      'Configure',
      { type: 'Configure', thresholds: { eot_threshold: 0.75 } },
    ],
    [
      'a threshold in words',
      false,
      'Configure',
      { type: 'Configure', thresholds: { eot_timeout_ms: 'long' } },
    ],
    ['an empty threshold', false, 'Configure', { type: 'Configure', thresholds: { eot_timeout_ms: '' } }],
    ['another threshold', true, 'Configure', { type: 'Configure', thresholds: { anything: 1 } }],
    ['no key terms', true, 'Configure', { type: 'Configure', keyterms: [] }],
    ['a key term that is a number', false, 'Configure', { type: 'Configure', keyterms: [1] }],
    ['no type', false, 'Configure', { thresholds: {} }],
    ['a text', true, 'Speak', { text: 'a' }],
    ['a blank text', true, 'Speak', { text: ' ' }],
    ['a string and a type', true, 'Speak', { type: 'Speak', text: 'a' }],
    ['an empty text', false, 'Speak', { text: '' }],
    ['no text', false, 'Speak', {}],
    ['nothing', true, 'Settings', {}],
    ['anything', true, 'Settings', { anything: [1] }],
    ['anything', true, 'ServerEvent', 'anything'],
  ])('with %s: accepted is %s for %s', (_, accepted, schema, value) => {
    expect(judgeOf(withoutOtherFile(asyncapi))(`/components/schemas/${schema}`, value).length === 0).toBe(
      accepted,
    )
  })

  it.each<[string, boolean, Json]>([
    ['the only model', true, { model: 'flux-general-en' }],
    ['nothing', true, {}],
    ['raw audio', true, { model: 'flux-general-en', language: 'en', encoding: 'any' }],
    ['a parameter that is not named', true, { model: 'flux-general-en', anything: '1' }],
    ['the bare name flux', false, { model: 'flux' }],
    ['a model of /v1/listen', false, { model: 'nova-3' }],
    ['smart_format', false, { model: 'flux-general-en', smart_format: true }],
    ['diarize', false, { model: 'flux-general-en', diarize: false }],
    ['punctuate', false, { model: 'flux-general-en', punctuate: 'true' }],
  ])('a conversation with %s: accepted is %s', (_, accepted, value) => {
    const judge = judgeOf(withoutOtherFile(asyncapi))
    expect(judge('/components/schemas/ConversationOptions', value).length === 0).toBe(accepted)
  })

  /** The document with the schemas of the other file put into its own, which is what the references mean. */
  function withoutOtherFile(document: JsonObject): JsonObject {
    const own = JSON.parse(JSON.stringify(document).replaceAll('./openapi.yaml#/', '#/')) as JsonObject
    const components = objectAt(own, 'components')
    const schemas = {
      ...objectAt(objectAt(openapi, 'components'), 'schemas'),
      ...objectAt(components, 'schemas'),
    }
    return { ...own, components: { ...components, schemas } }
  }
})
