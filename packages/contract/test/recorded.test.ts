/** Recordings: what a proxy writes, what it leaves out, and how recordings are used. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'

import { loadSocketSpec } from '@concord/spec-model'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

import {
  HarRecorder,
  serveProxy,
  serveReplay,
  serveSocketMock,
  serveSocketProxy,
  type Har,
  type ReplayedRequest,
} from '../src/index.ts'
import { listenOn } from '../src/http/listen.ts'
import { judgeHar, judgeSocketHar } from '../src/recorded/judge-har.ts'
import { specOf } from './fixture/documents.ts'
import { feedFile } from './fixture/feed/feed-client.ts'
import { standIn, type StandInResponse } from './fixture/stand-in.ts'
import { library, headers, record } from './fixture/record.ts'

async function replay(har: Har, seen: ReplayedRequest[] = []): Promise<string> {
  const server = await serveReplay({ har, onRequest: (one) => seen.push(one) })
  onTestFinished(() => server.close())
  return server.url
}

const findings = (har: Har): string[] =>
  judgeHar(library, har).flatMap((one) => one.findings.map(({ at, message }) => `${at}: ${message}`))

describe('a recording of HTTP', () => {
  it('is HAR 1.2 with requests, responses and times', async () => {
    const har = await record(async (url) => {
      await fetch(`${url}/v1/books/?sort=title&q=a%20b`, { headers })
      await fetch(`${url}/v1/books/`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"title":"Harbours"}',
      })
    })
    expect(har.log).toMatchObject({
      version: '1.2',
      creator: { name: '@concord/contract', version: '1.2.3' },
    })
    const [list, added] = har.log.entries
    expect(list).toMatchObject({
      startedDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      request: {
        method: 'GET',
        url: expect.stringMatching(/^http:\/\/127.0.0.1:\d+\/v1\/books\/\?sort=title&q=a%20b$/),
        queryString: [
          { name: 'sort', value: 'title' },
          { name: 'q', value: 'a b' },
        ],
      },
      response: { status: 200, statusText: 'OK', content: { mimeType: 'application/json' } },
    })
    expect(JSON.parse(list?.response.content.text ?? '')).toHaveProperty('items')
    expect(added?.request.postData).toEqual({ mimeType: 'application/json', text: '{"title":"Harbours"}' })
    expect(findings(har)).toEqual([])
  })

  it('contains bytes as Base64, and decoded content', async () => {
    const bytes = randomBytes(64)
    const har = await record(
      async (url) => {
        await fetch(`${url}/v1/books/b1/cover`, { headers })
        await fetch(`${url}/v1/status`)
      },
      ({ url }) =>
        url.endsWith('/cover')
          ? { body: bytes, headers: { 'content-type': 'image/png' } }
          : {
              body: gzipSync('{"state":"up"}'),
              headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
            },
    )
    const [cover, status] = har.log.entries
    expect(cover?.response.content).toMatchObject({ encoding: 'base64', text: bytes.toString('base64') })
    expect(status?.response.content.text).toBe('{"state":"up"}')
    expect(findings(har)).toEqual([])
    const url = await replay(har)
    expect(Buffer.from(await (await fetch(`${url}/v1/books/b1/cover`)).arrayBuffer())).toEqual(bytes)
    expect(await (await fetch(`${url}/v1/status`)).json()).toEqual({ state: 'up' })
  })
})

describe('secrets in a recording', () => {
  const secret = 'a-secret-that-nobody-may-see'
  const login = { schema: { $ref: '#/components/schemas/Login' } }
  const answer = (schema: object): object => ({ 200: { content: { 'application/json': { schema } } } })
  const string = { type: 'string' }
  const secretIn = (place: string, name: string): object => ({
    name,
    in: place,
    required: place === 'path',
    'x-secret': true,
    schema: string,
  })
  const spec = specOf(
    {
      '/login': {
        post: {
          operationId: 'login',
          parameters: [secretIn('query', 'ticket')],
          requestBody: {
            content: {
              'application/json': login,
              'application/x-www-form-urlencoded': login,
              'multipart/form-data': login,
            },
          },
          responses: answer({ $ref: '#/components/schemas/Session' }),
        },
      },
      '/links/{link}': {
        parameters: [secretIn('path', 'link')],
        get: { operationId: 'getLink', responses: { 200: { content: { 'text/plain': {} } } } },
      },
      '/whole': { get: { operationId: 'whole', responses: answer({ 'x-secret': true }) } },
    },
    {
      components: {
        securitySchemes: {
          header: { type: 'apiKey', in: 'header', name: 'X-Key' },
          query: { type: 'apiKey', in: 'query', name: 'api_key' },
        },
        schemas: {
          Login: { type: 'object', properties: { name: string, word: { ...string, format: 'password' } } },
          Session: {
            type: 'object',
            properties: {
              keys: { type: 'array', items: { anyOf: [{ ...string, 'x-secret': true }, { type: 'null' }] } },
              refresh_token: string,
              note: string,
            },
          },
        },
      },
    },
  )
  const recorded = async (
    path: string,
    init: RequestInit = {},
    response: () => StandInResponse = () => ({ json: {} }),
  ): Promise<string> => JSON.stringify(await record((url) => fetch(url + path, init), response, spec))
  const json = (body: unknown): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const formWith = (word: string): FormData => {
    const form = new FormData()
    form.append('word', word)
    return form
  }
  const cases: [what: string, har: (secret: string) => Promise<string>][] = [
    ['a header of a security scheme', (secret) => recorded('/login', { headers: { 'x-key': secret } })],
    [
      'the header Authorization',
      (secret) => recorded('/login', { headers: { authorization: `Bearer ${secret}` } }),
    ],
    ['cookies', (secret) => recorded('/login', { headers: { cookie: `sid=${secret}` } })],
    [
      'the header Set-Cookie',
      (secret) => recorded('/login', {}, () => ({ headers: { 'set-cookie': `s=${secret}` } })),
    ],
    ['a query of a security scheme', (secret) => recorded(`/login?api_key=${secret}`)],
    ['a marked query', (secret) => recorded(`/login?ticket=${secret}`, { method: 'POST' })],
    [
      'the query of a URL in a header',
      (secret) =>
        recorded('/login', {}, () => ({ headers: { location: `https://x.example/?ticket=${secret}` } })),
    ],
    ['a marked path', (secret) => recorded(`/links/${secret}`)],
    ['a password in JSON', (secret) => recorded('/login', json({ name: 'kim', word: secret }))],
    [
      'a password in a form',
      (secret) => recorded('/login', { method: 'POST', body: new URLSearchParams({ word: secret }) }),
    ],
    [
      'a password in a multipart form',
      (secret) => recorded('/login', { method: 'POST', body: formWith(secret) }),
    ],
    [
      'JSON in a form',
      (secret) =>
        recorded('/login', {
          method: 'POST',
          body: new URLSearchParams({ note: JSON.stringify([{ password: secret }]) }),
        }),
    ],
    [
      'JSON in a multipart form',
      (secret) => {
        const body = new FormData()
        body.set('note', new Blob([JSON.stringify({ password: secret })], { type: 'application/json' }))
        return recorded('/login', { method: 'POST', body })
      },
    ],
    ['JSON that cannot be read', (secret) => recorded('/login', { ...json(0), body: `{"word":"${secret}"` })],
    [
      'a member of a response that is marked as secret',
      (secret) => recorded('/login', json({}), () => ({ json: { keys: [secret, null] } })),
    ],
    ['an OAuth token', (secret) => recorded('/login', json({}), () => ({ json: { refresh_token: secret } }))],
    ['a whole marked body', (secret) => recorded('/whole', {}, () => ({ json: { deep: [secret] } }))],
    [
      "the body of an operation that isn't in the contract",
      (secret) => recorded('/other', {}, () => ({ json: { any: secret } })),
    ],
    [
      "the same secret where it isn't marked",
      (secret) =>
        recorded('/login', json({ word: secret }), () => ({ json: { note: `your word is ${secret}` } })),
    ],
  ]
  it.each(cases)('a recording contains no secret from %s', async (_what, har) => {
    expect(await har(secret)).not.toContain(secret)
  })

  it.each(cases.slice(0, -1))('a recording contains no short secret from %s', async (_what, har) => {
    // Short secrets are only removed where they are marked.
    expect(await har('pin-42')).not.toContain('pin-42')
  })

  it('removing an empty or common value from a form leaves the rest unchanged', async () => {
    for (const word of ['', '-']) {
      const text = await recorded('/login', { method: 'POST', body: formWith(word) })
      const { log } = JSON.parse(text) as Har
      const parts = log.entries[0]?.request.postData?.text.split('\r\n') ?? []
      expect(parts.slice(1, -2)).toEqual(['Content-Disposition: form-data; name="word"', '', '(removed)'])
    }
  })

  it('a recording of a form keeps fields with the same name', async () => {
    const body = new URLSearchParams([
      ['name', 'kim'],
      ['name', 'lee'],
      ['word', secret],
    ])
    const { log } = JSON.parse(await recorded('/login', { method: 'POST', body })) as Har
    expect(log.entries[0]?.request.postData?.text).toBe('name=kim&name=lee&word=%28removed%29')
  })

  it('a recording keeps everything that is not secret', async () => {
    const text = await recorded('/login', json({ name: 'kim', word: secret }), () => ({
      json: { note: 'hello' },
    }))
    const { log } = JSON.parse(text) as Har
    expect(log.entries[0]?.request.postData?.text).toBe('{"name":"kim","word":"(removed)"}')
    expect(log.entries[0]?.response.content.text).toBe('{"note":"hello"}')
    expect(judgeHar(spec, { log })[0]?.findings).toEqual([])
  })
})

describe('a replay', () => {
  it('responds in the order of the recording, and then repeats the last response', async () => {
    let turn = 0
    const har = await record(
      async (url) => {
        for (let count = 0; count < 3; count += 1) await fetch(`${url}/v1/status`)
      },
      () => ({ json: { state: `state ${(turn += 1)}` } }),
    )
    const url = await replay(har)
    const states = []
    for (let count = 0; count < 4; count += 1)
      states.push(((await (await fetch(`${url}/v1/status`)).json()) as { state: string }).state)
    expect(states).toEqual(['state 1', 'state 2', 'state 3', 'state 3'])
  })

  it('names the most similar recorded request, and the difference', async () => {
    const har = await record(async (url) => {
      await fetch(`${url}/v1/books/?sort=title`, { headers })
      await fetch(`${url}/v1/books/`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"title":"Harbours"}',
      })
    })
    const seen: ReplayedRequest[] = []
    const url = await replay(har, seen)
    const why = async (path: string, init?: RequestInit): Promise<unknown> => {
      const response = await fetch(url + path, init)
      expect(response.status).toBe(501)
      return ((await response.json()) as { error: string }).error
    }
    expect(await why('/v1/books/?sort=year')).toBe(
      'No recorded request matches GET /v1/books/. The most similar one is GET /v1/books/: its query differs in sort.',
    )
    expect(await why('/v1/book/?sort=title')).toMatch(
      /most similar one is GET \/v1\/books\/: its path differs/,
    )
    expect(await why('/v1/books/', { method: 'DELETE' })).toMatch(/its method differs/)
    const other = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"title":"Quays"}',
    }
    expect(await why('/v1/books/', other)).toMatch(/is POST \/v1\/books\/: its JSON body differs/)
    expect(seen.map(({ status }) => status)).toEqual([501, 501, 501, 501])
    const same = await fetch(`${url}/v1/books/`, { ...other, body: '{ "title": "Harbours" }' })
    expect(same.status).toBe(201)
  })

  it("removes the recorded service's base path", async () => {
    await using service = await standIn(() => ({ json: { state: 'up' } }))
    const recorder = new HarRecorder(library)
    await using proxy = await serveProxy({ spec: library, upstream: `${service.url}/base/path`, recorder })
    await fetch(`${proxy.url}/v1/status`)
    const url = await replay(recorder.har())
    expect((await fetch(`${url}/v1/status`)).status).toBe(200)
    expect((await fetch(`${url}/base/path/v1/status`)).status).toBe(501)
  })
})

describe('a recording of a browser', () => {
  const entry = (url: string, text: string): object => ({
    startedDateTime: '2027-01-01T00:00:00.000Z',
    time: 1,
    request: {
      method: 'GET',
      url,
      httpVersion: 'h2',
      headers: [{ name: ':path', value: '/' }],
      queryString: [],
    },
    response: {
      status: 200,
      headers: [{ name: 'content-type', value: 'application/json' }],
      content: { size: text.length, mimeType: 'application/json', text },
    },
  })
  const har = {
    log: {
      version: '1.2',
      creator: { name: 'WebInspector', version: '537' },
      entries: [
        entry('https://app.example/script.js', '1'),
        entry('https://api.example/v7/v1/status', '{"state":"up"}'),
        entry('https://api.example/v7/v1/books/b1', '{"id":5}'),
      ],
    },
  } as unknown as Har

  it('is checked without a base URL, and other traffic is ignored', () => {
    const judged = judgeHar(library, har)
    expect(judged.map(({ operation, entry: at }) => [operation, at])).toEqual([
      ['getStatus', 2],
      ['getBook', 3],
    ])
    expect(judged[0]?.findings).toEqual([])
    // Browsers leave out credentials, so missing ones aren't findings.
    expect(judged[1]?.findings.map(({ at }) => at)).toEqual([
      'response.body',
      'response.body',
      'response.body/id',
    ])
  })
})

it('a recording of WebSockets has frames as browsers write them, without secrets, and can be checked and replayed', async () => {
  const spec = await loadSocketSpec(feedFile.href)
  await using mock = await serveSocketMock({ spec })
  const recorder = new HarRecorder(spec)
  await using proxy = await serveSocketProxy({ spec, upstream: mock.url, recorder })
  const secret = 'a-key-that-nobody-may-see'
  const talk = async (url: string): Promise<string[]> => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/prices?symbols=AAA`, {
      headers: { 'x-feed-key': secret },
    })
    const heard: string[] = []
    socket.on('message', (data) => heard.push(String(data)))
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    socket.send(JSON.stringify({ type: 'subscribe', symbol: 'AAA' }))
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    socket.close(1000)
    await new Promise((resolve) => socket.once('close', resolve))
    return heard
  }
  const heard = await talk(proxy.url)
  await expect
    .poll(() => recorder.har().log.entries[0]?._webSocketClose)
    .toEqual({ by: 'client', code: 1000 })
  const har = recorder.har()
  expect(JSON.stringify(har)).not.toContain(secret)
  const [entry] = har.log.entries
  expect(entry?.response.status).toBe(101)
  expect(entry?._webSocketMessages?.map(({ type, opcode }) => [type, opcode]).slice(0, 2)).toEqual([
    ['send', 1],
    ['receive', 1],
  ])
  expect(judgeSocketHar(spec, har)).toMatchObject([{ operation: 'prices', findings: [] }])
  expect(await talk(await replay(har))).toEqual(heard)
})

it('the recording of a denied handshake has no tokens', async () => {
  const denial = { error: 'expired', access_token: 'a-token-that-must-stay-secret' }
  await using upstream = await listenOn(
    createServer().on('upgrade', (_request, socket) => {
      const body = JSON.stringify(denial)
      const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`
      socket.end(`HTTP/1.1 401 Unauthorized\r\n${head}\r\n\r\n${body}`)
    }),
  )
  const spec = await loadSocketSpec(feedFile.href)
  const recorder = new HarRecorder(spec)
  await using proxy = await serveSocketProxy({ spec, upstream: upstream.url, recorder })
  const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/v1/prices?symbols=AAA`)
  await new Promise((resolve) => socket.once('error', resolve))
  await expect.poll(() => recorder.size).toBe(1)
  const { response } = recorder.har().log.entries[0]!
  expect(response.status).toBe(401)
  expect(JSON.parse(response.content.text ?? '')).toEqual({
    error: 'expired',
    access_token: expect.any(String),
  })
  expect(JSON.stringify(recorder.har())).not.toContain(denial.access_token)
})
