import { describe, expect, it } from 'vitest'

import { overNetwork, until } from '../support/sockets.ts'
import { pcm, startSpeech } from '../support/speech.ts'

const CHANNELS = ['/v1/listen', '/v2/listen', '/v1/speak', '/v1/agent/converse']

describe.each(CHANNELS)('the upgrade to %s', (path) => {
  it('only accepts an API key with Token and a JWT with Bearer', async () => {
    await using speech = await startSpeech()
    const { apiKey } = speech.service
    const token = speech.control.grantToken()
    for (const authorization of [`Token ${apiKey}`, `Bearer ${token}`])
      expect((await speech.open(path, { authorization })).denial).toBeUndefined()
    for (const authorization of [`Bearer ${apiKey}`, `Token ${token}`, 'Token x', 'Bearer a.b.c'])
      expect((await speech.open(path, { authorization })).denial).toMatchObject({ status: 401 })
    expect((await speech.open(path, {})).denial).toMatchObject({
      status: 401,
      body: expect.stringContaining('key-missing'),
    })
  })

  it('denies an expired JWT, but open connections stay open', async () => {
    await using speech = await startSpeech({}, {})
    // Not on a whole second, which must not make a token valid for longer.
    await speech.advance(437)
    const authorization = `Bearer ${speech.control.grantToken()}`
    await speech.advance(29_999)
    const socket = await speech.open(path, { authorization })
    await speech.advance(1)
    expect((await speech.open(path, { authorization })).denial).toMatchObject({
      status: 401,
      body: expect.stringContaining('token-expired'),
    })
    await speech.advance(5_000)
    expect(socket.closed).toBeUndefined()
  })
})

it.each([
  ['/v1/listen?model=nova-9', 'query/model must be one of'],
  ['/v1/listen?model=flux-general-en', 'query/model must be one of'],
  ['/v2/listen?model=flux', 'query/model must be \\"flux-general-en\\"'],
  ['/v2/listen?model=nova-3', 'query/model must be'],
  ['/v2/listen?diarize=true', 'has a value that the schema forbids'],
  ['/v2/listen?smart_format=false', 'has a value that the schema forbids'],
  ['/v2/listen?punctuate=true', 'has a value that the schema forbids'],
  ['/v1/agent/converse?model=nova-3', 'query/model is not accepted on this channel'],
])('the options in the URL %s are denied at the upgrade', async (path, message) => {
  await using speech = await startSpeech()
  const { denial } = await speech.open(path)
  expect(denial?.status).toBe(400)
  expect(denial?.body).toContain(message)
  expect(speech.control.violations()).toMatchObject([{ direction: 'received' }])
})

it.each([
  '/v1/listen?model=base&diarize=true&redact=a&redact=b&something=else',
  '/v2/listen?model=flux-general-en&encoding=linear16&language=en',
  '/v1/speak?anything=1',
])('the options in the URL %s are accepted', async (path) => {
  await using speech = await startSpeech()
  expect((await speech.open(path)).denial).toBeUndefined()
})

it.each(['/v1/listen', '/v2/listen', '/v1/agent/converse'])(
  'an empty binary frame ends a connection to %s',
  async (path) => {
    await using speech = await startSpeech()
    const socket = await speech.open(path)
    socket.send(new Uint8Array())
    await socket.over
    expect(socket.closed).toEqual({
      code: 1000,
      reason: 'The client ended the stream with an empty binary frame.',
    })
  },
)

it('the number of connections is limited for each key across all channels, and a closed connection no longer counts', async () => {
  await using speech = await startSpeech({ connectionAllowance: 3 })
  const sockets = [
    await speech.open('/v1/listen'),
    await speech.open('/v2/listen'),
    await speech.open('/v1/speak'),
  ]
  const { denial } = await speech.open('/v1/agent/converse')
  expect(denial).toMatchObject({ status: 429, body: expect.stringContaining('3 are allowed') })
  expect(denial?.headers).not.toHaveProperty('retry-after')
  expect((await speech.call('/v1/models')).status).toBe(200)
  const other = speech.control.addKey()
  expect((await speech.open('/v1/listen', { authorization: `Token ${other}` })).denial).toBeUndefined()
  const token = speech.control.grantToken()
  expect((await speech.open('/v1/listen', { authorization: `Bearer ${token}` })).denial?.status).toBe(429)
  await speech.advance(9_000)
  expect((await speech.open('/v1/listen')).denial?.status).toBe(429)
  sockets[2]?.terminate()
  await speech.settle()
  expect((await speech.open('/v1/listen')).denial).toBeUndefined()
})

it('the limits of connections, messages and bodies are choices', async () => {
  await using speech = await startSpeech({
    choices: { limits: { connections: 1, messageBytes: 10, bodyBytes: 10 } },
  })
  const socket = await speech.open('/v1/listen')
  expect((await speech.open('/v1/listen')).denial?.status).toBe(429)
  socket.send(new Uint8Array(11))
  await socket.over
  expect(socket.closed?.code).toBe(1009)
  expect((await speech.call('/v1/speak', { method: 'POST', json: { text: 'too long' } })).status).toBe(413)
})

it('an expensive option counts twice towards the number of connections', async () => {
  await using speech = await startSpeech({ connectionAllowance: 3 })
  expect((await speech.open('/v1/listen?diarize=true')).denial).toBeUndefined()
  expect((await speech.open('/v1/listen?diarize=true')).denial?.status).toBe(429)
  expect((await speech.open('/v1/listen?diarize=false')).denial).toBeUndefined()
  expect((await speech.open('/v1/listen')).denial?.status).toBe(429)
})

it('the number of connections can be changed while connections are open, and counts REST calls if that is chosen', async () => {
  await using speech = await startSpeech({
    connectionAllowance: 1,
    choices: { connectionWeight: () => 1, errorResponse: () => ({ headers: { 'retry-after': '7' } }) },
  })
  const socket = await speech.open('/v1/speak')
  const response = await speech.call('/v1/models')
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('7')
  expect((await speech.call('/v1/projects/a')).status).toBe(429)
  speech.control.setConnectionAllowance(2)
  expect((await speech.call('/v1/models')).status).toBe(200)
  expect(socket.closed).toBeUndefined()
  expect(() => speech.control.setConnectionAllowance(0)).toThrow('above 0')
})

it('the control interface of speech shows the state of open connections, and resets', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open('/v1/listen?encoding=linear16')
  socket.send(pcm(500))
  await speech.settle()
  expect(speech.service.state).toEqual({
    now: Date.UTC(2026, 0, 5, 9),
    keys: 1,
    connectionAllowance: 20,
    connections: [
      {
        id: 1,
        channel: 'liveTranscription',
        openedAt: Date.UTC(2026, 0, 5, 9),
        heardMs: 500,
        stalled: false,
      },
    ],
  })
  speech.control.reset()
  await socket.over
  await speech.settle()
  expect(socket.closed).toMatchObject({ code: 1006 })
  expect(speech.service.state.connections).toEqual([])
  expect((await speech.open('/v1/listen')).denial).toBeUndefined()
})

it('the control interface of speech works over HTTP on the same port as WebSockets', async () => {
  await using speech = await startSpeech({ apiPath: '/speech', agentPath: '/agent' }, { control: true })
  await using served = await speech.emulator.serve({ services: ['speech'] })
  const { apiUrl, agentUrl, apiKey } = served.speech
  const { origin } = new URL(apiUrl)
  expect(new URL(agentUrl).origin).toBe(origin)
  const control = async (name: string, json: object = {}): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(json) }
    return (await fetch(`${origin}/_control/${name}`, init)).json()
  }
  const headers = { authorization: `Token ${apiKey}` }
  await control('script-transcript', { text: 'over the network', on: 'liveTranscription' })
  const socket = overNetwork(`${apiUrl}/v1/listen?encoding=linear16`, headers)
  const agent = overNetwork(`${agentUrl}/v1/agent/converse`, headers)
  await Promise.all([socket.settled, agent.settled])
  socket.send(pcm(2_000))
  await until(() => socket.received.length === 1)
  expect(socket.json()).toMatchObject([{ text: 'over the network' }])
  expect(await control('connections')).toMatchObject([{ id: 1, received: 1 }, { id: 2 }])
  await control('send-message', { connection: 1, message: { hello: 1 } })
  await until(() => socket.received.length === 2)
  await control('close-connection', { connection: 1, code: 4321, reason: 'enough' })
  await control('drop-connection', { connection: 2 })
  await Promise.all([socket.over, agent.over])
  expect(socket.closed).toEqual({ code: 4321, reason: 'enough' })
  expect(await control('set-connection-allowance', { allowance: 1 })).toEqual({ done: true })
  const { token } = (await control('grant-token')) as { token: string }
  const again = overNetwork(`${apiUrl}/v2/listen`, { authorization: `Bearer ${token}` })
  await again.settled
  const denied = overNetwork(`${apiUrl}/v2/listen`, headers)
  await denied.settled
  expect(denied.denial).toMatchObject({ status: 429, headers: { 'content-type': 'application/json' } })
  expect(await control('drop-connection', { connection: 99 })).toEqual({
    detail: 'The connection 99 is not open.',
  })
  again.terminate()
})
