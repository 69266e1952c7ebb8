import { inspect } from 'node:util'

import { virtualClock } from '@concord/runtime/testing'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'

import { listModels } from '../src/gen/operations.gen.ts'
import { presets } from '../src/presets.ts'
import { bytes, KEY, rejection, responding, wired } from './support.ts'

const text = (body: Uint8Array) => new TextDecoder().decode(body)

it('transcribe() puts every option into the URL, and only the audio into the body', async () => {
  const { speech, calls } = responding(() => Response.json({ any: 'transcript' }))
  const audio = { content: bytes(1, 2, 3), contentType: 'audio/wav' }
  const transcript = await speech.transcribe(
    audio,
    { model: 'nova-2', diarize: true, redact: ['a', 'b'] },
    { extra: { query: { other: 'x y' } } },
  )
  expect(transcript).toEqual({ any: 'transcript' })
  const [call] = calls
  expect(call?.url.href).toBe(
    'http://speech.test/prefix/v1/listen?model=nova-2&diarize=true&redact=a&redact=b&other=x%20y',
  )
  expect(call?.body).toEqual(bytes(1, 2, 3))
  expect(call?.headers.get('content-type')).toBe('audio/wav')
  expect(call?.headers.get('authorization')).toBe(`Token ${KEY}`)
})

it("types the transcript by the caller's schema, and reports what the schema rejects", async () => {
  const { speech } = responding(() => Response.json({ words: ['a'] }))
  const { words } = await speech.transcribe(
    bytes(1),
    {},
    { schema: z.object({ words: z.array(z.string()) }) },
  )
  expect(words.map((word) => word.toUpperCase())).toEqual(['A'])
  const error = await rejection(
    speech.transcribe(bytes(1), {}, { schema: z.object({ words: z.array(z.number()) }) }),
  )
  expect(error).toMatchObject({
    code: 'contract-drift',
    issues: [{ path: '/words/0' }],
    operation: 'transcribe',
  })
})

it("analyzeText() sends the caller's request as JSON, and types the result by the caller's schema", async () => {
  const { speech, calls } = responding(() => Response.json({ topics: ['sea'] }))
  const schema = z.object({ topics: z.array(z.string()) })
  const request = presets.emulator.analysisRequest('A calm crossing.')
  const { topics } = await speech.analyzeText(request, { schema })
  expect(topics).toEqual(['sea'])
  expect(JSON.parse(text(calls[0]!.body))).toEqual({ text: 'A calm crossing.' })
})

it('transcribe() rejects a model of the other family, and a misspelled option, with nothing sent', async () => {
  const { speech, calls } = wired()
  const model = 'flux-general-en' as 'nova'
  expect(await rejection(speech.transcribe(bytes(1), { model }))).toMatchObject({ code: 'invalid-request' })
  const misspelled = { punctuation: true } as object
  for (const open of [
    () => speech.transcribe(bytes(1), misspelled),
    () => speech.listen(misspelled),
    () => speech.converse(misspelled),
  ])
    expect(await rejection(open())).toMatchObject({ issues: [{ path: '/query/punctuation' }] })
  expect(calls).toHaveLength(0)
})

it("R-21: transcribe() isn't sent again when the response is lost", async () => {
  const { speech, calls } = responding(() => {
    throw new Error('the network is gone')
  })
  expect(await rejection(speech.transcribe(bytes(1)))).toMatchObject({ code: 'submission-uncertain' })
  expect(calls).toHaveLength(1)
})

it('R-25: a 429 means connections; a transcription is not sent again, a listing is, after `Retry-After`', async () => {
  const busy = () => Response.json({}, { status: 429, headers: { 'retry-after': '0' } })
  const clock = virtualClock()
  onTestFinished(() => clock[Symbol.dispose]())
  const { speech, calls } = responding(busy, { clock })
  expect(await rejection(speech.transcribe(bytes(1)))).toMatchObject({
    code: 'http',
    meaning: 'connections',
  })
  expect(calls).toHaveLength(1)
  let responses = 0
  const recovering = responding(() => (++responses === 1 ? busy() : Response.json(['nova-3'])), { clock })
  expect(await recovering.speech.models()).toEqual(['nova-3'])
  expect(recovering.calls).toHaveLength(2)
})

it('R-25: the error of a 429 says what it means and what to do, in raw calls too', async () => {
  const { speech } = responding(() => Response.json({}, { status: 429 }), { retry: { maxAttempts: 1 } })
  const raw = { method: 'GET', path: '/v1/projects/a' } as const
  for (const call of [() => speech.models(), () => speech.request(raw)]) {
    const error = await rejection(call())
    expect(error).toMatchObject({ status: 429, meaning: 'connections', retryHelps: true })
    expect((error as { operation?: string }).operation).toBeTypeOf('string')
    expect(String(error)).toMatch(/Too many connections are open.*Try again.*connectionLimit/)
  }
})

it.each([
  [401, {}, 'AuthenticationError', /apiKey.*Token.*accessToken.*Bearer/],
  [400, { a: [{ b: 'DATA-0000' }] }, 'BadRequestError', /the encoding doesn.t match the audio/],
  [400, { a: [{ b: 'DATA-0002' }] }, 'BadRequestError', /^(?!.*encoding)/],
  [400, { a: [{ b: 'DATA-0001' }] }, 'speech.CharacterRateLimitedError', /character rate limit.*Slow down/],
  [429, 'DATA-0001', 'speech.CharacterRateLimitedError', /character rate limit.*Slow down/],
])('the error of a %i with %j says what to do', async (status, body, name, message) => {
  const { speech } = responding(() => Response.json(body, { status }))
  const error = await rejection(speech.transcribe(bytes(1)))
  expect(error).toMatchObject({ code: 'http', status, name, operation: 'transcribe' })
  expect(String(error)).toMatch(message)
  if (name === 'speech.CharacterRateLimitedError') expect(error).toMatchObject({ retryHelps: true })
})

it('speak() returns the audio as it arrives, with the media type that the service sent', async () => {
  const { speech, calls } = responding(
    () =>
      new Response(bytes(1, 2, 3) as Uint8Array<ArrayBuffer>, {
        headers: { 'content-type': 'audio/any' },
      }),
  )
  const spoken = await speech.speak({ any: 'request' }, { extra: { query: { voice: 'x' } } })
  expect(spoken.contentType).toBe('audio/any')
  expect(spoken.headers.get('content-type')).toBe('audio/any')
  expect(await spoken.bytes()).toEqual(bytes(1, 2, 3))
  const pieces: number[] = []
  for await (const piece of await speech.speak({})) pieces.push(...piece)
  expect(pieces).toEqual([1, 2, 3])
  expect(calls[0]?.url.search).toBe('?voice=x')
  expect(text(calls[0]?.body ?? bytes())).toBe('{"any":"request"}')
})

it.each([
  ['HTML', 200, '<html>', 'text/html; charset=utf-8'],
  ['JSON', 200, '{"error":"limit"}', 'application/json'],
  ['problem details', 201, '{"title":"limit"}', 'application/problem+json'],
  ['nothing', 204, null, undefined],
  ['an empty body', 200, '', 'audio/wav'],
])(
  "R-21: speak() doesn't mistake %s for audio, which may have been generated and billed",
  async (_what, status, body, type) => {
    const headers = { ...(type && { 'content-type': type }), ...(body === '' && { 'content-length': '0' }) }
    const { speech, calls } = responding(() => new Response(body, { status, headers }))
    const error = await rejection(speech.speak({ text: 'hello' }))
    expect(error).toMatchObject({ code: 'submission-uncertain', status })
    expect(String(error)).toContain('a media file')
    expect(calls).toHaveLength(1)
  },
)

it("R-21: speak() doesn't mistake an empty stream for audio, even if its length was not announced", async () => {
  const nothing = () => new ReadableStream({ start: (controller) => controller.close() })
  const { speech } = responding(() => new Response(nothing()))
  const spoken = await speech.speak({ text: 'hello' })
  const error = await rejection(spoken.bytes())
  expect(error).toMatchObject({ code: 'submission-uncertain', status: 200, possibleDuplicates: 1 })
  expect(String(error)).toContain('the body is empty')
  await expect(async () => {
    for await (const piece of await speech.speak({ text: 'hello' })) expect(piece).toBeUndefined()
  }).rejects.toMatchObject({ code: 'submission-uncertain' })
})

it('leaving the loop over spoken audio cancels the response', async () => {
  let isCanceled = false
  const endless = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(bytes(1)),
      cancel: () => void (isCanceled = true),
    })
  const { speech } = responding(() => new Response(endless()))
  for await (const _ of await speech.speak({})) break
  expect(isCanceled).toBe(true)
})

it("spoken audio can't be read a second time", async () => {
  const reply = () => new Response(bytes(1, 2, 3) as Uint8Array<ArrayBuffer>)
  const { speech } = responding(reply)
  const read = await speech.speak({})
  await read.bytes()
  const taken = await speech.speak({})
  taken.body.getReader()
  const left = await speech.speak({})
  for await (const _ of left) break
  for (const again of [
    () => read.bytes(),
    () => read[Symbol.asyncIterator]().next(),
    () => taken.bytes(),
    () => left.bytes(),
  ]) {
    const error = await rejection(again())
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toMatch(/read only once/)
  }
})

it("calls go to the documented URLs, and those about language models to the agent's", async () => {
  const { speech, calls } = responding(() => Response.json([1]))
  expect(await speech.analyzeText({ any: 1 })).toEqual([1])
  expect(await speech.models()).toEqual([1])
  expect(await speech.thinkModels({ schema: z.array(z.number()) })).toEqual([1])
  expect(calls.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
    'POST http://speech.test/prefix/v1/read',
    'GET http://speech.test/prefix/v1/models',
    'GET https://agent.test/v1/agent/settings/think/models',
  ])
})

it('operations can be called with their whole response and by their descriptors, until the client is closed', async () => {
  const { speech } = responding(() => Response.json([1], { headers: { 'x-a': 'b' } }))
  {
    await using open = speech
    expect((await open.withResponse.listModels({})).headers.get('x-a')).toBe('b')
    expect((await open.exchange(listModels, {})).data).toEqual([1])
    expect(await open.send(listModels, {})).toEqual([1])
  }
  expect(await rejection(speech.models())).toMatchObject({ code: 'connection' })
})

it('tokenSource() requests a fresh token for every connection', async () => {
  let count = 0
  const server = responding(() => Response.json({ any: { jwt: `jwt-${++count}` } }))
  const token = (grant: unknown) => (grant as { any: { jwt: string } }).any.jwt
  const accessToken = server.speech.tokenSource({ token, request: { seconds: 10 } })
  const { speech, sockets } = wired({ accessToken })
  await speech.listen()
  await speech.converse()
  expect(sockets.peers.map(({ headers }) => headers.get('authorization'))).toEqual([
    'Bearer jwt-1',
    'Bearer jwt-2',
  ])
  expect(server.calls.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
    'POST /prefix/v1/auth/grant',
    'POST /prefix/v1/auth/grant',
  ])
  expect(text(server.calls[0]?.body ?? bytes())).toBe('{"seconds":10}')
  expect(server.calls[0]?.headers.get('authorization')).toBe(`Token ${KEY}`)
})

it("a grant without a token is drift, and the error doesn't contain the grant", async () => {
  const { speech } = responding(() => Response.json({ elsewhere: 'a-secret-jwt' }))
  for (const token of [undefined, '', 7]) {
    const error = await rejection(speech.tokenSource({ token: () => token })())
    expect(error).toMatchObject({
      code: 'contract-drift',
      data: undefined,
      issues: [{ path: '', reason: expect.any(String) as unknown }],
      operation: 'grantToken',
    })
    expect(JSON.stringify(error)).not.toContain('a-secret-jwt')
  }
})

it('R-11: the content of an unreadable grant is never shown', async () => {
  const headers = { 'content-type': 'application/json' }
  const { speech } = responding(() => new Response('{"token":"a-secret-jwt"', { headers }))
  const error = await rejection(speech.tokenSource({ token: String })())
  expect(error).toMatchObject({ code: 'submission-uncertain', received: '', cause: { excerpt: '' } })
  expect(inspect(error) + JSON.stringify(error)).not.toContain('a-secret-jwt')
})

it('tokenSource() rejects a rule without `token`', () => {
  const { speech } = wired()
  expect(() => speech.tokenSource({} as never)).toThrow(expect.objectContaining({ option: 'token' }))
})

it('request() sends any method to the two documented families', async () => {
  const { speech, calls, drift } = responding(() =>
    Response.json({ any: 1 }, { status: 201, headers: { 'x-a': 'b' } }),
  )
  const response = await speech.request({
    method: 'PATCH',
    path: '/v1/projects/p%201/selfhosted/things',
    query: { tag: ['a', 'b'] },
    body: { any: 'thing' },
  })
  expect(response).toMatchObject({ status: 201, data: { any: 1 } })
  expect(response.headers.get('x-a')).toBe('b')
  expect(`${calls[0]?.method} ${calls[0]?.url.href}`).toBe(
    'PATCH http://speech.test/prefix/v1/projects/p%201/selfhosted/things?tag=a&tag=b',
  )
  expect(text(calls[0]?.body ?? bytes())).toBe('{"any":"thing"}')
  expect(calls[0]?.headers.get('authorization')).toBe(`Token ${KEY}`)
  expect(calls[0]?.headers.get('content-type')).toBe('application/json')
  for (const path of ['/v1/projects/..a', '/v1/projects/a..'])
    await speech.request({ method: 'GET', path }, { timeoutMs: 1000 })
  expect(calls[1]?.headers.get('content-type')).toBeNull()
  expect(drift).toEqual([])
})

it('request() needs no credential, and reads the body of an error', async () => {
  const onCall = () => Response.json({ why: 'none' }, { status: 404 })
  const { speech, calls } = responding(onCall, { apiKey: undefined } as object)
  const error = await rejection(speech.request({ method: 'GET', path: '/v1/projects' }))
  expect(error).toMatchObject({ status: 404, body: { why: 'none' } })
  expect(calls[0]?.headers.get('authorization')).toBeNull()
})

it("request() returns a string if the body isn't JSON, and undefined if it is empty", async () => {
  const responses = [new Response('plain'), new Response(null, { status: 204 })]
  const { speech } = responding(() => responses.shift() ?? new Response())
  expect(await speech.request({ method: 'GET', path: '/v1/projects' })).toMatchObject({ data: 'plain' })
  expect(await speech.request({ method: 'DELETE', path: '/v1/projects/1' })).toMatchObject({
    status: 204,
    data: undefined,
  })
})

it('a schema types the response to request()', async () => {
  const { speech } = responding(() => Response.json([{ id: 'a' }]))
  const schema = z.array(z.object({ id: z.string() }))
  const { data } = await speech.request({ method: 'GET', path: '/v1/projects/1/members', schema })
  expect(data.map(({ id }) => id)).toEqual(['a'])
})

it.each([
  '/v1/models',
  '/v1/projectsx',
  '/v1/projects/../models',
  '/v1/projects/a/%2e%2E/x',
  '/v1/projects/a?b=c',
  '/v1/projects/a#b',
  '/v1/projects/{a}',
  '/v1/projects/a b',
  '/v1/projects/a%zz',
  '/v1/projects/a%2',
  ['/v1/projects'],
  'https://elsewhere.test/v1/projects/a',
  undefined,
])('request() rejects the path %s, with nothing sent', async (path) => {
  const { speech, calls } = wired()
  const error = await rejection(speech.request({ method: 'GET', path: path as string }))
  expect(error).toMatchObject({
    code: 'invalid-request',
    issues: [{ path: '/path' }],
    operation: 'request',
  })
  expect(calls).toHaveLength(0)
})

it('request() rejects an unknown method', async () => {
  const { speech } = wired()
  const request = { method: 'get' as 'GET', path: '/v1/projects/a' }
  expect(await rejection(speech.request(request))).toMatchObject({ option: 'method' })
})

it('R-20: request() is retried only with a method that reads', async () => {
  const { speech, calls, clock } = responding(() => Response.json({}, { status: 503 }), {
    retry: { baseMs: 0 },
  })
  const path = '/v1/projects/a'
  const reading = rejection(speech.request({ method: 'GET', path }))
  for (let turn = 0; turn < 5; turn += 1) await clock.advance(1)
  await reading
  expect(calls).toHaveLength(3)
  await rejection(speech.request({ method: 'POST', path, body: {} }))
  expect(calls).toHaveLength(4)
})
