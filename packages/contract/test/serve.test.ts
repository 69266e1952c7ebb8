/** The proxy with misbehaving callers and upstreams. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as httpRequest, type RequestListener } from 'node:http'
import { connect } from 'node:net'

import { expect, it, onTestFinished } from 'vitest'

import { bodyOf } from '../src/http/front.ts'
import { serveProxy, type ProxyOptions, type SeenExchange } from '../src/index.ts'
import { listen } from './fixture/local.ts'
import { library } from './fixture/record.ts'

const BOOKS = '/v1/books/?sort=title'

/** Starts a proxy in front of a service. Returns its URL. */
async function proxyOf(service: RequestListener, options: Partial<ProxyOptions> = {}): Promise<string> {
  const upstream = await listen(createServer(service))
  const proxy = await serveProxy({ spec: library, upstream, ...options })
  onTestFinished(() => proxy.close())
  return proxy.url
}

it('the body of a request takes no more memory if it arrives in many pieces', async () => {
  const piece = Buffer.alloc(1)
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let count = 0; count < 10_000; count++) {
      // A reader that kept the pieces would see the last value in all of them.
      piece[0] = 0x61 + (count % 2)
      yield piece
    }
  }
  const body = await bodyOf(pieces() as unknown as IncomingMessage)
  expect(Buffer.from(body).toString()).toBe('ab'.repeat(5_000))
})

it('a proxy responds with 413 to a request body above the limit, and sends nothing upstream', async () => {
  let asked = 0
  const service: RequestListener = (_request, response) => {
    asked += 1
    response.end('{}')
  }
  const url = await proxyOf(service, { maxBodyBytes: 1000 })
  const reply = await fetch(`${url}/v1/books/`, { method: 'POST', body: 'x'.repeat(1001) })
  expect(reply.status).toBe(413)
  expect(await reply.text()).toContain('1000 bytes')
  expect(asked).toBe(0)
})

it('a proxy responds with 503 if all bodies in memory together exceed four times the limit', async () => {
  const url = await proxyOf((_request, response) => void response.end('{}'), { maxBodyBytes: 1000 })
  const { hostname, port } = new URL(url)
  const head = 'POST /v1/books/ HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n'
  let refused = ''
  for (let count = 0; count < 5; count++) {
    // Each caller stops before the last byte, so its body stays in progress.
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    socket.on('data', (data) => (refused += data.toString()))
    socket.write(head + 'x'.repeat(999))
    await once(socket, 'connect')
  }
  await expect.poll(() => refused).toContain('HTTP/1.1 503')
})

it('a proxy responds with 502 to a response body above the limit', async () => {
  const url = await proxyOf((_request, response) => void response.end('x'.repeat(1001)), {
    maxBodyBytes: 1000,
  })
  expect((await fetch(url + BOOKS)).status).toBe(502)
})

it('a proxy limits the request body and the response body separately', async () => {
  const url = await proxyOf((_request, response) => void response.end('x'.repeat(900)), {
    maxBodyBytes: 1000,
  })
  const reply = await fetch(`${url}/v1/books/`, { method: 'POST', body: 'x'.repeat(900) })
  expect(reply.status).toBe(200)
  expect(await reply.text()).toHaveLength(900)
})

it("a proxy responds with 502 if the upstream doesn't respond in time", async () => {
  const seen: SeenExchange[] = []
  const url = await proxyOf(() => undefined, { timeoutMs: 20, onExchange: (one) => seen.push(one) })
  expect((await fetch(url + BOOKS)).status).toBe(502)
  expect(seen.at(-1)?.findings[0]?.message).toContain('within 20 ms')
})

it('a proxy ends the exchange with the upstream when its caller disconnects', async () => {
  const arrived = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const url = await proxyOf((request) => {
    arrived.resolve()
    request.socket.once('close', () => ended.resolve())
  })
  const caller = new AbortController()
  const reply = fetch(url + BOOKS, { signal: caller.signal })
  await arrived.promise
  caller.abort()
  await expect(reply).rejects.toThrow()
  await ended.promise
})

it('a proxy uses only the path of a request target that is an absolute URL', async () => {
  const targets: (string | undefined)[] = []
  const { hostname, port } = new URL(
    await proxyOf((request, response) => {
      targets.push(request.url)
      response.end('{}')
    }),
  )
  const send = async (path: string): Promise<number> => {
    const request = httpRequest({ hostname, port, path })
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode ?? 0
  }
  await send('http://elsewhere.example/v1/books/?sort=year')
  expect(targets).toEqual(['/v1/books/?sort=year'])
  expect(await send('elsewhere')).toBe(400)
  expect(targets).toHaveLength(1)
})
