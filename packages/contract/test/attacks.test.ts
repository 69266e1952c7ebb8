/** Hostile callers and hostile services. Whatever they do, the next ordinary request gets its response. */
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

import { loadSocketSpec, loadSpec, readSocketSpec, readSpec } from '@concord/spec-model'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'

import {
  HarRecorder,
  serveMock,
  serveProxy,
  serveReplay,
  serveSocketMock,
  serveSocketProxy,
  verify,
  type Har,
} from '../src/index.ts'
import { libraryFile } from './fixture/client.ts'
import { feedFile } from './fixture/feed/feed-client.ts'
import { standIn } from './fixture/stand-in.ts'

const library = await loadSpec(libraryFile.href)
const feed = await loadSocketSpec(feedFile.href)
const key = 'library-key-that-nobody-may-see'
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const recording: Har = {
  log: {
    version: '1.2',
    creator: { name: 'test', version: '1' },
    entries: [
      {
        startedDateTime: '2027-01-01T00:00:00.000Z',
        time: 1,
        request: {
          method: 'GET',
          url: 'http://service.example/v1/status',
          httpVersion: 'HTTP/1.1',
          cookies: [],
          headers: [],
          queryString: [],
          headersSize: -1,
          bodySize: 0,
        },
        response: {
          status: 200,
          statusText: 'OK',
          httpVersion: 'HTTP/1.1',
          cookies: [],
          headers: [{ name: 'content-type', value: 'application/json' }],
          content: { size: 14, mimeType: 'application/json', text: '{"state":"up"}' },
          redirectURL: '',
          headersSize: -1,
          bodySize: 14,
        },
        cache: {},
        timings: { send: 0, wait: 1, receive: 0 },
      },
    ],
  },
}

const servers: [what: string, start: () => Promise<string>][] = [
  [
    'mock',
    async () => {
      const mock = await serveMock({ spec: library })
      closing.push(() => mock.close())
      return mock.url
    },
  ],
  [
    'proxy that records',
    async () => {
      const service = await standIn()
      closing.push(() => service[Symbol.asyncDispose]())
      const recorder = new HarRecorder(library)
      const proxy = await serveProxy({ spec: library, upstream: service.url, recorder })
      closing.push(() => proxy.close())
      return proxy.url
    },
  ],
  [
    'replay',
    async () => {
      const replay = await serveReplay({ har: recording })
      closing.push(() => replay.close())
      return replay.url
    },
  ],
]

async function raw(url: string, text: string): Promise<{ socket: Socket; response: Promise<string> }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let heard = ''
  socket.on('error', () => undefined)
  socket.on('data', (data) => (heard += data.toString('latin1')))
  closing.push(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(text)
  return { socket, response: new Promise((resolve) => socket.once('close', () => resolve(heard))) }
}

async function send(url: string, type: string, body: Buffer | string, path = '/v1/books/'): Promise<number> {
  const request = httpRequest(url + path, {
    method: 'POST',
    headers: { 'content-type': type, 'content-length': Buffer.byteLength(body), 'x-library-key': key },
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode ?? 0
}

const expectAlive = async (url: string): Promise<void> =>
  expect((await fetch(`${url}/v1/status`)).status).toBe(200)

describe.each(servers)('a %s responds to the next request after', (_what, start) => {
  it('200 half requests that stay open', async () => {
    const url = await start()
    for (let count = 0; count < 200; count += 1)
      await raw(url, 'POST /v1/books/ HTTP/1.1\r\nhost: x\r\nx-slow')
    await expectAlive(url)
  })

  it('headers that are too long', async () => {
    const url = await start()
    const { response: reply } = await raw(
      url,
      `GET /v1/status HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`,
    )
    expect(await reply).toMatch(/^HTTP\/1.1 431 /)
    await expectAlive(url)
  })

  it('requests that contradict themselves', async () => {
    const url = await start()
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

  it('paths that lead outside', async () => {
    const url = await start()
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

  it('malformed forms and JSON', async () => {
    const url = await start()
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
      expect(await send(url, type, body)).toBeGreaterThan(199)
      expect(await send(url, type, body, '/v1/books/b1/cover')).toBeGreaterThan(199)
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    await expectAlive(url)
  })

  it('a form of 50,000 parts, and JSON with a million mistakes', async () => {
    const url = await start()
    const part = '--b\r\ncontent-disposition: form-data; name="caption"\r\n\r\nx\r\n'
    await send(url, 'multipart/form-data; boundary=b', `${part.repeat(50_000)}--b--`, '/v1/books/b1/cover')
    await send(url, 'application/json', `{"title":"x","tags":[${'1,'.repeat(1_000_000)}1]}`)
    await expectAlive(url)
  })

  it('upgrades that are reset, and upgrades to something unknown', async () => {
    const url = await start()
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
    await using proxy = await serveProxy({
      spec: library,
      upstream: service.url,
      recorder,
      maxBodyBytes: 1_000_000,
    })
    const asked = Array.from({ length: 20 }, () =>
      fetch(`${proxy.url}/v1/books/b1`, { headers: { 'x-library-key': key } }),
    )
    for (const reply of await Promise.all(asked)) await reply.arrayBuffer().catch(() => undefined)
    expect(JSON.stringify(recorder.har()).length).toBeLessThan(5_000_000)
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
    const upstream = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => reply(socket))
    })
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    closing.push(() => void upstream.close())
    await using proxy = await serveProxy({
      spec: library,
      upstream: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
    })
    for (let count = 0; count < 3; count += 1)
      expect((await fetch(`${proxy.url}/v1/status`)).status).toBe(502)
  })
})

describe('a mock of WebSockets', () => {
  it('stops reading from a client that sends and never reads', async () => {
    const large = { payload: {}, examples: [{ payload: 'x'.repeat(100_000) }] }
    const spec = readSocketSpec(
      {
        asyncapi: '3.0.0',
        info: { title: 'Large' },
        servers: { only: { host: 'large.example', protocol: 'wss' } },
        channels: { any: { address: '/any', messages: { ask: { payload: {} }, large } } },
        operations: {
          take: {
            action: 'receive',
            channel: { $ref: '#/channels/any' },
            messages: [{ $ref: '#/channels/any/messages/ask' }],
          },
          tell: {
            action: 'send',
            channel: { $ref: '#/channels/any' },
            messages: [{ $ref: '#/channels/any/messages/large' }],
          },
        },
      },
      { file: 'large.yaml' },
    )
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

  it('and its proxy respond to the next handshake after 200 that are reset or half sent', async () => {
    await using mock = await serveSocketMock({ spec: feed })
    await using proxy = await serveSocketProxy({
      spec: feed,
      upstream: mock.url,
      recorder: new HarRecorder(feed),
    })
    for (const { url } of [mock, proxy]) {
      for (let count = 0; count < 200; count += 1) {
        const { socket } = await raw(
          url,
          `GET /v1/prices?symbols=AAA HTTP/1.1\r\nhost: x\r\nx-feed-key: ${key}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n${count % 2 ? '' : '\r\n'}`,
        )
        if (count % 4 === 0) socket.resetAndDestroy()
      }
      const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/prices?symbols=AAA`, {
        headers: { 'x-feed-key': key },
      })
      await once(socket, 'open')
      socket.terminate()
    }
  })
})

describe('verify', () => {
  const spec = readSpec(
    {
      openapi: '3.1.0',
      info: { title: 'Hostile' },
      security: [{ key: [] }],
      paths: {
        '/a': {
          get: {
            operationId: 'a',
            responses: {
              200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Tree' } } } },
            },
          },
        },
      },
      components: {
        schemas: { Tree: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } },
      },
    },
    { file: 'hostile.yaml' },
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
  ])('fails for a service that responds with %s, and shows little of it', async (_what, reply) => {
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

  it('ends even if the body of a response never does', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = (): void => void response.write('['.repeat(64 * 1024), () => setImmediate(more))
      more()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(() => {
      server.closeAllConnections()
      server.close()
    })
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const report = await verify({ spec, baseUrl, credentials: { key } })
    expect(report.operations[0]?.checks[0]).toMatchObject({
      state: 'fail',
      reasons: [expect.stringContaining('longer than')],
    })
  })
})
