/** Hostile callers and hostile services. Whatever they do, the next ordinary request gets its response. */
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

import { HarRecorder, serveMock, serveProxy, serveReplay, serveSocketMock, verify } from '../src/index.ts'
import { channelSpecOf, specOf } from './fixture/documents.ts'
import { listen } from './fixture/local.ts'
import { library, record } from './fixture/record.ts'
import { libraryKey as key, standIn } from './fixture/stand-in.ts'

const recording = await record((url) => fetch(`${url}/v1/status`))
const upstream = await standIn()
afterAll(() => upstream[Symbol.asyncDispose]())

const servers: [what: string, start: () => ReturnType<typeof serveMock>][] = [
  ['mock', () => serveMock({ spec: library })],
  [
    'proxy that records',
    () => serveProxy({ spec: library, upstream: upstream.url, recorder: new HarRecorder(library) }),
  ],
  ['replay', () => serveReplay({ har: recording })],
]

async function raw(url: string, text: string): Promise<{ socket: Socket; response: Promise<string> }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let heard = ''
  socket.on('error', () => undefined)
  socket.on('data', (data) => (heard += data.toString('latin1')))
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(text)
  return { socket, response: new Promise((resolve) => socket.once('close', () => resolve(heard))) }
}

/** Sends a body, also with a GET, which `fetch` doesn't do. */
async function send(url: string, type: string, body: string, method = 'POST'): Promise<number> {
  const request = httpRequest(url, {
    method,
    headers: { 'content-type': type, 'content-length': Buffer.byteLength(body), 'x-library-key': key },
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode ?? 0
}

const expectAlive = async (url: string): Promise<void> =>
  expect((await fetch(`${url}/v1/status`)).status).toBe(200)

describe.each(servers)('a %s under attack', (_what, start) => {
  const started = async (): Promise<string> => {
    const server = await start()
    onTestFinished(() => server.close())
    return server.url
  }

  it('responds while 200 half requests stay open', async () => {
    const url = await started()
    for (let count = 0; count < 200; count += 1)
      await raw(url, 'POST /v1/books/ HTTP/1.1\r\nhost: x\r\nx-slow')
    await expectAlive(url)
  })

  it('responds after headers that are too long', async () => {
    const url = await started()
    const { response: reply } = await raw(
      url,
      `GET /v1/status HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`,
    )
    expect(await reply).toMatch(/^HTTP\/1.1 431 /)
    await expectAlive(url)
  })

  it('responds after requests that contradict themselves', async () => {
    const url = await started()
    const broken = [
      'GET /v1/status HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'GET /v1/status HTTP/9.9\r\n\r\n',
      'CONNECT elsewhere.example:443 HTTP/1.1\r\nhost: x\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'POST /v1/books/ HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n',
    ]
    for (const text of broken) {
      const { socket, response: reply } = await raw(url, text)
      socket.end()
      expect(await reply).not.toMatch(/^HTTP\/1.1 2/)
    }
    await expectAlive(url)
  })

  it('responds after requests for paths that lead outside', async () => {
    const url = await started()
    for (const path of [
      '//elsewhere.example/v1/status',
      '/../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/v1/%00',
      '/%',
      '*',
    ]) {
      const { response: reply } = await raw(
        url,
        `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      )
      expect(await reply).toMatch(/^HTTP\/1.1 (?:4\d\d|501) /)
    }
    await expectAlive(url)
  })

  it('responds after malformed forms and JSON', async () => {
    const url = await started()
    const form = 'multipart/form-data; boundary=b'
    const bodies: [string, string][] = [
      [form, '--b\r\n\r\n'],
      [form, `--b\r\ncontent-disposition: form-data; name="a${'"'.repeat(1000)}\r\n\r\n--b--`],
      [form, '--b--'],
      ['multipart/form-data', 'x'],
      ['application/json', '['.repeat(200_000)],
      ['application/json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
      ['application/json', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
    ]
    for (const [type, body] of bodies) {
      expect(await send(`${url}/v1/books/`, type, body)).toBeGreaterThan(199)
      expect(await send(`${url}/v1/books/`, type, body, 'GET')).toBeGreaterThan(199)
      expect(await send(`${url}/v1/books/b1/cover`, type, body)).toBeGreaterThan(199)
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    await expectAlive(url)
  })

  it('responds after a form of 50,000 parts and JSON with a million mistakes', async () => {
    const url = await started()
    const part = '--b\r\ncontent-disposition: form-data; name="caption"\r\n\r\nx\r\n'
    const form = `${part.repeat(50_000)}--b--`
    await send(`${url}/v1/books/b1/cover`, 'multipart/form-data; boundary=b', form)
    await send(`${url}/v1/books/`, 'application/json', `{"title":"x","tags":[${'1,'.repeat(1_000_000)}1]}`)
    await expectAlive(url)
  })

  it('responds after upgrades that are reset or followed by garbage', async () => {
    const url = await started()
    const upgrade =
      'GET /v1/status HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
    for (let count = 0; count < 100; count += 1) {
      const { socket } = await raw(url, upgrade)
      if (count % 2 === 0) socket.resetAndDestroy()
      else socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff]))
    }
    await expectAlive(url)
  })
})

describe('a proxy', () => {
  it('limits the decoding of 20 simultaneous compression bombs', async () => {
    const bomb = gzipSync(Buffer.alloc(4_000_000))
    await using service = await standIn(({ url }) =>
      url === '/v1/status'
        ? undefined
        : { body: bomb, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
    )
    const recorder = new HarRecorder(library)
    const seen: string[] = []
    await using proxy = await serveProxy({
      spec: library,
      upstream: service.url,
      recorder,
      maxBodyBytes: 100_000,
      onExchange: (one) => seen.push(...one.findings.map(({ message }) => message)),
    })
    const asked = Array.from({ length: 20 }, () =>
      fetch(`${proxy.url}/v1/books/b1`, { headers: { 'x-library-key': key } }),
    )
    for (const reply of await Promise.all(asked)) await reply.arrayBuffer().catch(() => undefined)
    expect(seen).toContain("the body can't be decoded, or is too long after decoding")
    for (const { response } of recorder.har().log.entries) expect(response.content.size).toBeLessThan(100_000)
    await expectAlive(proxy.url)
  })

  it.each<[string, (socket: Socket) => void]>([
    ['sends what is not HTTP', (socket) => socket.end('SSH-2.0-x\r\n')],
    ['resets every connection', (socket) => socket.resetAndDestroy()],
    [
      'ends in the middle of a body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'),
    ],
    [
      'sends headers without an end',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}`),
    ],
  ])('responds with 502 if the service %s', async (_what, reply) => {
    const service = createTcpServer((socket) => socket.once('data', () => reply(socket)))
    await using proxy = await serveProxy({ spec: library, upstream: await listen(service) })
    for (let count = 0; count < 3; count += 1)
      expect((await fetch(`${proxy.url}/v1/status`)).status).toBe(502)
  })
})

it('the mock of WebSockets stops reading from a client that sends and never reads', async () => {
  const large = { payload: {}, examples: [{ payload: 'x'.repeat(100_000) }] }
  const spec = channelSpecOf({ address: '/any' }, { sends: { ask: { payload: {} } }, receives: { large } })
  let answered = 0
  await using mock = await serveSocketMock({
    spec,
    onEvent: (one) => {
      if (one.kind === 'frame' && one.direction === 'received') answered += 1
    },
  })
  const socket = new WebSocket(`${mock.url.replace('http', 'ws')}/any`)
  await once(socket, 'open')
  socket.pause()
  // A few kilobytes that request 500 MB.
  const count = 5000
  for (let at = 0; at < count; at += 1) socket.send('1')
  await expect.poll(() => answered).toBeGreaterThan(0)
  const other = new WebSocket(`${mock.url.replace('http', 'ws')}/any`)
  await once(other, 'open')
  expect(answered).toBeLessThan(count)
  socket.terminate()
  other.terminate()
})

describe('a hostile service', () => {
  const tree = { 'application/json': { schema: { $ref: '#/components/schemas/Tree' } } }
  const spec = specOf(
    { '/a': { get: { operationId: 'a', responses: { 200: { content: tree } } } } },
    {
      security: [{ key: [] }],
      components: {
        schemas: { Tree: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } },
      },
    },
  )

  it.each<[string, () => { body: string | Buffer; headers: Record<string, string> }]>([
    [
      'JSON that is nested 100,000 times',
      () => ({ body: '['.repeat(100_000) + ']'.repeat(100_000), headers: {} }),
    ],
    ['a million mistakes', () => ({ body: `[${'1,'.repeat(1_000_000)}1]`, headers: {} })],
    [
      'a compression bomb',
      () => ({ body: gzipSync(Buffer.alloc(100_000_000)), headers: { 'content-encoding': 'gzip' } }),
    ],
    ['the key in a media type', () => ({ body: '[]', headers: { 'content-type': `text/${key}` } })],
    ['the key in a redirect', () => ({ body: '[]', headers: { location: `https://x.example/${key}` } })],
  ])('verify fails for a service that responds with %s, and shows little of it', async (_what, reply) => {
    await using service = await standIn(() => {
      const { body, headers } = reply()
      return {
        status: headers['location'] ? 302 : 200,
        body,
        headers: { 'content-type': 'application/json', ...headers },
      }
    })
    const report = await verify({ spec, baseUrl: service.url, credentials: { key } })
    const text = JSON.stringify(report)
    expect(report.passed).toBe(false)
    expect(text.length).toBeLessThan(100_000)
    expect(text).not.toContain(key)
  })

  it('verify ends even if the body of a response never does', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = (): void => void response.write('['.repeat(64 * 1024), () => setImmediate(more))
      more()
    })
    const options = { spec, credentials: { key }, timeoutMs: 60_000 }
    const report = await verify({ ...options, baseUrl: await listen(server) })
    expect(report.operations[0]?.checks[0]).toMatchObject({
      state: 'fail',
      reasons: [expect.stringContaining('longer than')],
    })
  })
})
