import { expect, it } from 'vitest'

import { startSpeech } from '../support/speech.ts'

const KEEP_ALIVE = new TextEncoder().encode('{"type":"KeepAlive"}')

it.each([
  ['/v1/listen', 'liveTranscription'],
  ['/v2/listen?model=flux-general-en', 'conversation'],
  ['/v1/speak', 'speechStream'],
  ['/v1/agent/converse', 'agent'],
])('`greeting` is the first message on %s', async (path, channel) => {
  await using speech = await startSpeech({
    choices: { greeting: (opening) => [{ type: 'Welcome', to: opening.channel }, { type: 'Metadata' }] },
  })
  const socket = await speech.open(path)
  await speech.settle()
  expect(socket.json()).toEqual([{ type: 'Welcome', to: channel }, { type: 'Metadata' }])
})

it('a message that the contract does not know gets the response of `respondToMessage`, which receives the message, the problem and its text', async () => {
  const seen: object[] = []
  await using speech = await startSpeech({
    choices: {
      respondToMessage(unanswered) {
        seen.push(unanswered)
        return { send: [{ type: 'Flushed' }] }
      },
    },
  })
  const socket = await speech.open('/v1/speak')
  socket.send({ type: 'Flush' })
  socket.send('not JSON')
  await speech.settle()
  expect(socket.json()).toEqual([{ type: 'Flushed' }, { type: 'Flushed' }])
  expect(seen).toMatchObject([
    { channel: 'speechStream', problem: 'message-rejected', message: { type: 'Flush' } },
    { message: 'not JSON', text: expect.stringContaining('must be JSON') },
  ])
})

it('a message that the contract does not know may close the connection after the response', async () => {
  await using speech = await startSpeech({
    choices: {
      respondToMessage: () => ({ send: [{ type: 'Goodbye' }], close: { code: 1000, reason: 'asked for' } }),
    },
  })
  const socket = await speech.open('/v1/listen')
  socket.send({ type: 'CloseStream' })
  await socket.over
  expect(socket.json()).toEqual([{ type: 'Goodbye' }])
  expect(socket.closed).toEqual({ code: 1000, reason: 'asked for' })
})

it('a message that the contract does not know gets a response on an agent too, if it is neither Settings nor audio', async () => {
  await using speech = await startSpeech({
    choices: {
      respondToMessage: ({ message }) => ({
        send: [{ type: 'Echo', message: message as object as never }],
      }),
    },
  })
  const socket = await speech.open('/v1/agent/converse')
  socket.send({ type: 'FunctionCallResponse', id: 7 })
  await speech.settle()
  expect(socket.json()).toEqual([{ type: 'Echo', message: { type: 'FunctionCallResponse', id: 7 } }])
})

const PATH = '/v2/listen?model=flux-general-en'

it('Configure gets the response of `respondToMessage` if the contract rejects it', async () => {
  await using speech = await startSpeech({
    choices: {
      respondToMessage: ({ problem }) =>
        problem === 'configure-rejected' ? { close: { code: 4422, reason: 'no' } } : undefined,
    },
  })
  const socket = await speech.open(PATH)
  socket.send({ type: 'Configure', keyterms: 'no list' })
  await socket.over
  expect(socket.closed?.code).toBe(4422)
})

it('Configure is confirmed under any name and with any fields, by `showEvent`', async () => {
  await using speech = await startSpeech({
    choices: {
      showEvent: (event) =>
        event.kind === 'configured'
          ? { event: 'configured', applied: event.values.keyterms.length }
          : undefined,
    },
  })
  const socket = await speech.open(PATH)
  socket.send({ type: 'Configure', keyterms: ['quay', 'mole'] })
  await speech.settle()
  expect(socket.json()).toEqual([{ event: 'configured', applied: 2 }])
})

it('credentials are not needed for the calls and channels that `acceptsCredential` exempts', async () => {
  await using speech = await startSpeech({
    choices: {
      acceptsCredential: ({ target, credential }) =>
        credential !== 'none' || ['listModels', 'projects', 'speechStream'].includes(target),
    },
  })
  const bare = async (path: string) => (await speech.service.fetch(`${speech.service.apiUrl}${path}`)).status
  expect(await Promise.all(['/v1/models', '/v1/projects', '/v1/projects/a'].map(bare))).toEqual([
    200, 200, 200,
  ])
  const grant = `${speech.service.apiUrl}/v1/auth/grant`
  expect((await speech.service.fetch(grant, { method: 'POST' })).status).toBe(401)
  const open = await speech.open('/v1/speak', {})
  open.send({ text: 'a' })
  await speech.settle()
  expect(open.bytes().length).toBeGreaterThan(0)
  expect((await speech.open('/v1/listen', {})).denial?.status).toBe(401)
})

it('`tokenClaims` can be any claims', async () => {
  await using speech = await startSpeech({ choices: { tokenClaims: () => ({ iss: 'somewhere' }) } })
  const token = speech.control.grantToken()
  const [, claims = ''] = token.split('.')
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({ iss: 'somewhere' })
  const headers = { authorization: `Bearer ${token}` }
  expect((await speech.call('/v1/models', { headers })).status).toBe(200)
})

it("a binary KeepAlive doesn't restart the 10 seconds without audio if `countsAsAudio` is false", async () => {
  await using speech = await startSpeech({ choices: { binaryKeepAlive: { countsAsAudio: false } } })
  const socket = await speech.open('/v1/listen')
  await speech.advance(9_000)
  socket.send(KEEP_ALIVE)
  await speech.advance(1_000)
  await socket.over
  expect(socket.closed?.code).toBe(4008)
})

it('`closeFor` can keep an agent open after an empty frame before its Settings', async () => {
  await using speech = await startSpeech({
    choices: {
      closeFor: ({ isSettled }) => (isSettled ? { code: 1003, reason: 'empty' } : undefined),
      timing: { settings: 0 },
    },
  })
  const socket = await speech.open('/v1/agent/converse')
  socket.send(new Uint8Array())
  socket.send({ type: 'Settings' })
  await speech.advance(1)
  expect(socket.json()).toEqual([{ type: 'SettingsAccepted' }])
  socket.send(new Uint8Array())
  await socket.over
  expect(socket.closed?.code).toBe(1003)
})

it('REST returns any chosen success status and body', async () => {
  await using speech = await startSpeech({
    choices: {
      successResponse: async (success) => ({
        status: success.operation === 'projects' ? 204 : 203,
        ...(success.operation === 'listModels'
          ? { body: { names: success.value.map(({ name }) => name) } }
          : {}),
      }),
    },
  })
  const models = await speech.call('/v1/models')
  expect([models.status, await models.json()]).toMatchObject([
    203,
    { names: expect.arrayContaining(['nova-3']) },
  ])
  const projects = await speech.call('/v1/projects/a', { method: 'DELETE' })
  expect([projects.status, await projects.text()]).toEqual([204, ''])
})

it.each(['application/x-www-form-urlencoded', 'application/json', 'multipart/form-data', 'audio/wav', ''])(
  'REST accepts audio with any content type: %j',
  async (contentType) => {
    await using speech = await startSpeech()
    const response = await speech.call('/v1/listen', {
      method: 'POST',
      body: new Uint8Array(32_000),
      headers: contentType === '' ? {} : { 'content-type': contentType },
    })
    expect([response.status, await response.json()]).toMatchObject([200, { duration: 2 }])
  },
)

it('REST rejects options in the body instead of audio, since options belong in the URL', async () => {
  await using speech = await startSpeech()
  const response = await speech.call('/v1/listen', { method: 'POST', json: { model: 'nova-3' } })
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { message: expect.stringContaining('body must be audio, not JSON') },
  ])
})

it('`newApiKey`, `speak` and `analyze` decide on keys, voices and analyses', async () => {
  await using speech = await startSpeech({
    choices: {
      newApiKey: () => 'the-key',
      speak: (text) => ({ samples: new Int16Array(text.length), sampleRate: 8_000 }),
      analyze: (text) => ({ summary: text.toUpperCase(), sentiment: 'neutral', topics: [], intents: [] }),
    },
  })
  expect(speech.service.apiKey).toBe('the-key')
  const spoken = await speech.call('/v1/speak', { method: 'POST', json: { text: 'quay' } })
  const wav = new DataView(await spoken.arrayBuffer())
  expect([wav.getUint32(24, true), wav.byteLength]).toEqual([8_000, 44 + 8])
  const read = await speech.call('/v1/read', { method: 'POST', json: { text: 'quay' } })
  expect(await read.json()).toMatchObject({ summary: 'QUAY' })
})

it.each([
  [{ timing: { turn: 0 } }, 'timing/turn must be > 0'],
  [{ timing: { flush: -1 } }, 'timing/flush must be >= 0'],
])('rejects the choice %j', async (choices, message) => {
  await expect(startSpeech({ choices })).rejects.toThrow(message)
})

it('`isSettings` decides which message of an agent has its Settings', async () => {
  await using speech = await startSpeech({
    choices: { isSettings: ({ type }) => type === 'Setup', timing: { settings: 0 } },
  })
  const socket = await speech.open('/v1/agent/converse')
  socket.send({ type: 'Settings' })
  await speech.advance(1)
  expect(socket.json()).toEqual([])
  socket.send({ type: 'Setup' })
  await speech.advance(1)
  expect(socket.json()).toEqual([{ type: 'SettingsAccepted' }])
})
