import { inspect } from 'node:util'

import { expect, it, onTestFinished, vi } from 'vitest'

import { Speech, SPEECH_VARIABLES } from '../src/index.ts'
import { KEY, rejection, wired } from './support.ts'

const apiUrl = 'https://speech.test'

it.each<[string, object, string]>([
  ['no base URL', { apiKey: KEY }, 'apiUrl'],
  ['a base URL without a scheme', { apiUrl: 'speech.test', apiKey: KEY }, 'apiUrl'],
  ['a WebSocket URL as the base URL', { apiUrl: 'wss://speech.test', apiKey: KEY }, 'apiUrl'],
  ['a base URL of the agent without a scheme', { apiUrl, agentUrl: 'agent', apiKey: KEY }, 'agentUrl'],
  ['two credentials', { apiUrl, apiKey: KEY, accessToken: KEY }, 'accessToken'],
  ['a key with its scheme before it', { apiUrl, apiKey: `Token ${KEY}` }, 'apiKey'],
  ['a misspelt option', { apiUrl, apikey: KEY }, 'options.apikey'],
  ['an option of the runtime', { apiUrl, apiKey: KEY, servers: {} }, 'servers'],
  [
    'a misspelled name in socketUrls',
    { apiUrl, apiKey: KEY, socketUrls: { api: 'ws://a' } },
    'socketUrls.api',
  ],
  [
    'a socket URL without a scheme',
    { apiUrl, apiKey: KEY, socketUrls: { apiUrl: 'a' } },
    'must begin with ws://, wss://, http:// or https://.',
  ],
  [
    'a socket URL with another scheme',
    { apiUrl, apiKey: KEY, socketUrls: { agentUrl: 'xws://a' } },
    'socketUrls.agentUrl',
  ],
  ['a limit of the wrong type', { apiUrl, apiKey: KEY, connectionLimit: 'few' }, 'connectionLimit'],
  ['a limit of 0', { apiUrl, apiKey: KEY, connectionLimit: 0 }, 'connectionLimit'],
])('the client rejects %s by name', (_, options, option) => {
  const make = () => new Speech(options as never)
  expect(make).toThrow(expect.objectContaining({ code: 'invalid-options' }))
  expect(make).toThrow(new RegExp(option.split('.').at(-1) ?? ''))
  expect(make).not.toThrow(new RegExp(KEY))
})

it('R-01: WebSockets use the base URLs of the calls, with ws for http and wss for https, unless socketUrls are passed', async () => {
  const wire = wired()
  await wire.speech.listen()
  expect(wire.peer.url.href).toBe('ws://speech.test/prefix/v1/listen')
  const socketUrls = { apiUrl: 'WSS://sockets.test/path/', agentUrl: 'http://ws.test:8080' }
  const other = wired({ socketUrls })
  await other.speech.listen()
  expect(other.peer.url.href).toBe('wss://sockets.test/path/v1/listen')
  await other.speech.agent({}, { acknowledged: () => true })
  expect(other.peer.url.href).toBe('ws://ws.test:8080/v1/agent/converse')
  await other.speech.models()
  expect(other.calls[0]?.url.href).toBe('http://speech.test/prefix/v1/models')
})

it('R-11: a client shows no secret', () => {
  const speech = new Speech({ apiUrl, apiKey: KEY })
  expect(inspect(speech, { showHidden: true, depth: 9 }) + JSON.stringify(speech)).not.toContain(KEY)
})

const url = { [SPEECH_VARIABLES.apiUrl]: 'http://speech.test/prefix' }
const key = { [SPEECH_VARIABLES.apiKey]: KEY }
const jwt = { [SPEECH_VARIABLES.accessToken]: 'jwt' }

it.each<[variables: Record<string, string>, options: object, host: string, authorization: string | null]>([
  [{ ...url, ...key }, {}, 'speech.test', `Token ${KEY}`],
  [{ ...url, ...key }, { apiUrl: 'http://other.test', accessToken: 'mine' }, 'other.test', 'Bearer mine'],
  [{ ...url, ...key, ...jwt }, { apiKey: 'mine' }, 'speech.test', 'Token mine'],
  [{ ...url, ...jwt }, {}, 'speech.test', 'Bearer jwt'],
  [url, {}, 'speech.test', null],
  [{}, { apiUrl: 'http://other.test' }, 'other.test', null],
])(
  'fromEnv() makes a client from the variables %j and the options %j',
  async (variables, options, host, authorization) => {
    const { sockets } = wired()
    const { socketFactory } = sockets
    const agent = { [SPEECH_VARIABLES.agentUrl]: 'http://agent.test' }
    const speech = Speech.fromEnv({ ...options, socketFactory }, { ...variables, ...agent })
    await speech.listen()
    await speech.agent({}, { acknowledged: () => true })
    expect(sockets.peers.map(({ url }) => url.host)).toEqual([host, 'agent.test'])
    expect(sockets.peers[0]?.headers.get('authorization')).toBe(authorization)
  },
)

it('fromEnv() says which variable is not set on a host without environment variables', () => {
  vi.stubGlobal('process', undefined)
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(() => Speech.fromEnv()).toThrow(/SPEECH_API_URL/)
})

it('fromEnv() says which variable is not set', () => {
  for (const variables of [{}, key]) expect(() => Speech.fromEnv({}, variables)).toThrow(/SPEECH_API_URL/)
})

it.each<[string, (speech: Speech) => unknown, string]>([
  ['a string as options of transcription', (speech) => speech.listen('nova-3' as never), 'options'],
  ['options of transcription that are null', (speech) => speech.listen(null as never), 'options'],
  ['options of a socket that are null', (speech) => speech.listen({}, null as never), 'options'],
  ['options of a conversation that are null', (speech) => speech.converse(null as never), 'options'],
  ['an agent without options', (speech) => speech.agent({}, undefined as never), 'acknowledged'],
  ['tokens without a rule', async (speech) => speech.tokenSource(undefined as never), 'token'],
  [
    'a number as text of a synthesizer',
    async (speech) => (await speech.synthesizer({ spoken: () => true })).speak(7 as never),
    'text',
  ],
  ['conversation options that are an array', (speech) => speech.converse([] as never, 7 as never), 'options'],
  ['file options that are null', (speech) => speech.transcribe(new Uint8Array(1), null as never), 'options'],
  [
    'a schema of a file',
    (speech) => speech.transcribe(new Uint8Array(1), {}, { schema: {} as never }),
    'schema',
  ],
  ['a schema of models', (speech) => speech.models({ schema: null as never }), 'schema'],
  ['a schema of language models', (speech) => speech.thinkModels({ schema: {} as never }), 'schema'],
  ['a schema of an analysis', (speech) => speech.analyzeText('a', { schema: {} as never }), 'schema'],
  [
    'a schema of a raw request',
    (speech) => speech.request({ method: 'GET', path: '/v1/projects/a', schema: {} as never }),
    'schema',
  ],
  ['an undefined raw request', (speech) => speech.request(undefined as never), 'request'],
  [
    'a misspelled member of a raw request',
    (speech) => speech.request({ method: 'GET', path: '/v1/projects/a', json: {} } as never),
    'json',
  ],
  ['a number as text', async (speech) => speech.speakStream(7 as never, { spoken: 'close' }), 'text'],
])('rejects %s by name, with nothing sent or opened', async (_, call, option) => {
  const { speech, calls, sockets } = wired()
  const error = await rejection(Promise.resolve().then(() => call(speech)))
  expect(error).toMatchObject({ code: 'invalid-options' })
  // A grouped option may be named together with its group.
  expect((error as { option: string }).option.split('.').at(-1)).toBe(option.split('.').at(-1))
  expect(calls).toHaveLength(0)
  expect(sockets.peers.flatMap(({ received }) => received)).toEqual([])
})
