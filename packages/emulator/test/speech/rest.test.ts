import { expect, it } from 'vitest'

import { encodeWav, readWav } from '../../src/speech/audio/wav.ts'
import { pcm, startSpeech } from '../support/speech.ts'

const post = (body: BodyInit, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers,
})

it('POST /v1/listen returns a transcript as long as the audio', async () => {
  await using speech = await startSpeech()
  const wav = encodeWav(new Int16Array(16_000 * 2), 16_000)
  const response = await speech.call('/v1/listen?model=nova-3', post(wav, { 'content-type': 'audio/wav' }))
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    text: 'the ferry leaves at nine',
    duration: 2,
    words: [
      { word: 'the', start: 0, end: 0.32 },
      { word: 'ferry', start: 0.4, end: 0.72 },
      { word: 'leaves', start: 0.8, end: 1.12 },
      { word: 'at', start: 1.2, end: 1.52 },
      { word: 'nine', start: 1.6, end: 1.92 },
    ],
  })
})

it('POST /v1/listen accepts raw samples with an encoding, without a content type, and returns the requested details', async () => {
  await using speech = await startSpeech()
  speech.control.scriptTranscript({ text: 'why is the ferry late', on: 'transcribe' })
  const path = '/v1/listen?encoding=linear16&summarize=true&sentiment=true&topics=true&intents=false'
  const reply = (await (await speech.call(path, post(pcm(10_000)))).json()) as Record<string, unknown>
  expect(reply).toMatchObject({
    text: 'why is the ferry late',
    duration: 10,
    summary: 'why is the ferry late',
    sentiment: 'negative',
    topics: ['ferry'],
  })
  expect(reply).not.toHaveProperty('intents')
})

it('POST /v1/listen rejects containerized audio with an encoding with DATA-0000', async () => {
  await using speech = await startSpeech()
  const wav = encodeWav(new Int16Array(100), 16_000)
  const response = await speech.call('/v1/listen?encoding=linear16', post(wav))
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({
    code: 'DATA-0000',
    message: 'The encoding does not match the audio.',
  })
})

it('POST /v1/listen returns garbled output if `encodingMismatch` says so', async () => {
  await using speech = await startSpeech({ choices: { encodingMismatch: () => 'garbled' } })
  speech.control.scriptTranscript({ text: 'the ferry' })
  const wav = encodeWav(new Int16Array(16_000), 16_000)
  const response = await speech.call('/v1/listen?encoding=linear16', post(wav))
  expect(await response.json()).toMatchObject({ text: 'eht yrref' })
})

it.each([
  [
    'a model of the other family',
    '/v1/listen?model=flux-general-en',
    post('audio'),
    'query/model must be one of',
  ],
  ['a request without audio', '/v1/listen', { method: 'POST' }, 'body is required'],
])('POST /v1/listen rejects %s', async (_, path, init, message) => {
  await using speech = await startSpeech()
  const response = await speech.call(path, init)
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({
    code: 'request-rejected',
    message: expect.stringContaining(message),
  })
  expect(speech.control.violations()).toMatchObject([{ direction: 'request', operationId: 'transcribe' }])
})

it('POST /v1/speak returns a WAV file whose length depends on the text, and that is not silent', async () => {
  await using speech = await startSpeech()
  const durations: number[] = []
  for (const text of ['Hello', 'Hello again, and once more']) {
    const response = await speech.call('/v1/speak', { method: 'POST', json: { text } })
    expect(response.headers.get('content-type')).toBe('audio/wav')
    const bytes = new Uint8Array(await response.arrayBuffer())
    const wav = readWav(bytes)
    expect(wav).toEqual({ bytesPerSecond: 48_000, dataOffset: 44 })
    const samples = new Int16Array(bytes.slice(44).buffer)
    expect(Math.max(...samples.subarray(0, 2_000))).toBeGreaterThan(2_000)
    durations.push(samples.length / 24_000)
  }
  expect(durations).toEqual([0.3, 1.56])
})

it.each([{ text: '' }, {}, undefined])(
  'POST /v1/speak rejects the body %j, which has no text',
  async (json) => {
    await using speech = await startSpeech()
    const response = await speech.call('/v1/speak', { method: 'POST', json })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: '400' })
  },
)

it('POST /v1/speak returns DATA-0001 above the character rate, until a minute has passed', async () => {
  await using speech = await startSpeech({ choices: { limits: { charactersPerMinute: 10 } } })
  const say = async (text: string) => speech.call('/v1/speak', { method: 'POST', json: { text } })
  expect((await say('12345678')).status).toBe(200)
  expect(await (await say('123')).json()).toMatchObject({ code: 'DATA-0001' })
  expect((await say('12')).status).toBe(200)
  await speech.advance(60_000)
  expect((await say('1234567890')).status).toBe(200)
})

it('POST /v1/read analyzes text; the result depends on the text', async () => {
  await using speech = await startSpeech()
  const analyze = async (text: string) =>
    (await speech.call('/v1/read', { method: 'POST', json: { text } })).json()
  expect(await analyze('The ferry was late again. Nothing told us why?')).toEqual({
    summary: 'The ferry was late again.',
    sentiment: 'negative',
    topics: ['ferry', 'nothing'],
    intents: ['question'],
  })
  expect(await analyze('Thanks, a great trip.')).toMatchObject({ sentiment: 'positive', intents: [] })
  expect((await speech.call('/v1/read', { method: 'POST', json: {} })).status).toBe(400)
})

it("GET lists the models of the contract, and language models at the agent's base URL", async () => {
  await using speech = await startSpeech({ agentPath: '/agent' })
  const models = (await (await speech.call('/v1/models')).json()) as { name: string }[]
  expect(models.map(({ name }) => name)).toEqual([
    'nova-3',
    'nova-2',
    'nova',
    'enhanced',
    'base',
    'flux-general-en',
  ])
  expect(speech.service.agentUrl).toBe('http://speech.emulator.invalid/agent')
  const path = '/v1/agent/settings/think/models'
  expect(await (await speech.call(path)).json()).toEqual([{ name: 'emulator-echo' }])
  const headers = { authorization: `Token ${speech.service.apiKey}` }
  expect((await speech.service.fetch(speech.service.apiUrl + path, { headers })).status).toBe(404)
})

it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
  '%s under /v1/projects/ and its self-hosted part needs a credential',
  async (method) => {
    await using speech = await startSpeech()
    for (const path of ['/v1/projects/a', '/v1/projects/a/selfhosted/b/c']) {
      const response = await speech.call(path, method === 'POST' ? { method, json: { a: 1 } } : { method })
      expect(await response.json()).toEqual({
        method,
        path,
        ...(method === 'POST' ? { body: { a: 1 } } : {}),
      })
      const denied = await speech.call(path, { method, headers: { authorization: 'Token wrong' } })
      expect(denied.status).toBe(401)
    }
  },
)

it.each([
  ['no credential', {}, 'key-missing'],
  ['an unknown key', { authorization: 'Token nobody' }, 'key-invalid'],
  ['another scheme', { authorization: 'Basic abc' }, 'key-missing'],
])('a credential is denied: %s', async (_, headers, code) => {
  await using speech = await startSpeech()
  const response = await speech.service.fetch(`${speech.service.apiUrl}/v1/models`, {
    headers,
  } as RequestInit)
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ code })
})

it('an API key is not accepted as a JWT, nor a JWT as an API key', async () => {
  await using speech = await startSpeech()
  const token = speech.control.grantToken()
  for (const authorization of [`Bearer ${speech.service.apiKey}`, `Token ${token}`])
    expect((await speech.call('/v1/models', { headers: { authorization } })).status).toBe(401)
})

it('a JWT is granted for 30 seconds, and REST does not check its expiry', async () => {
  await using speech = await startSpeech()
  const grant = async (json?: object) =>
    (await (await speech.call('/v1/auth/grant', { method: 'POST', json })).json()) as {
      access_token: string
      expires_in: number
    }
  await speech.advance(437)
  const { access_token, expires_in } = await grant()
  expect(expires_in).toBe(30)
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()) as {
    iat: number
    exp: number
  }
  expect(claims.exp - claims.iat).toBeCloseTo(30, 5)
  expect(access_token).not.toContain(speech.service.apiKey)
  expect((await grant({ ttl_seconds: 90 })).expires_in).toBe(90)
  await speech.advance(31_000)
  const headers = { authorization: `Bearer ${access_token}` }
  expect((await speech.call('/v1/models', { headers })).status).toBe(200)
})

it('a JWT whose expiry was changed is denied', async () => {
  await using speech = await startSpeech()
  const [head, body = '', signature] = speech.control.grantToken().split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { exp: number }
  const longer = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url')
  const status = async (token: string) =>
    (await speech.call('/v1/models', { headers: { authorization: `Bearer ${token}` } })).status
  expect(await status(`${head}.${body}.${signature}`)).toBe(200)
  expect(await status(`${head}.${longer}.${signature}`)).toBe(401)
  expect(await status(`${head}.${body}.${signature}.`)).toBe(401)
})

it('REST denies an expired JWT if `acceptsCredential` says so', async () => {
  await using speech = await startSpeech({
    choices: {
      acceptsCredential: ({ target, credential }) => credential === 'token' && target !== 'grantToken',
    },
  })
  const headers = { authorization: `Bearer ${speech.control.grantToken()}` }
  expect((await speech.call('/v1/models', { headers })).status).toBe(200)
  expect((await speech.call('/v1/auth/grant', { method: 'POST', headers })).status).toBe(401)
  await speech.advance(30_000)
  for (const path of ['/v1/models', '/v1/projects/a/members'])
    expect(await (await speech.call(path, { headers })).json()).toMatchObject({ code: 'token-expired' })
})
