/** The mock and the proxy with misbehaving callers and upstreams. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { fileURLToPath } from 'node:url'

import { afterEach, describe, expect, it } from 'vitest'

import { bodyOf } from '../src/http/front.ts'
import { type SeenExchange, serveMock, serveProxy } from '../src/http/serve.ts'

const spec = fileURLToPath(new URL('fixture/library.yaml', import.meta.url))
const BOOKS = '/v1/books/?sort=title'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function upstream(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function mock(): Promise<string> {
  const server = await serveMock({ spec })
  closing.push(() => server.close())
  return server.url
}

/** A GET with a body, which `fetch` doesn't send. */
async function getWithBody(url: string, contentType: string, body: string): Promise<number> {
  const request = httpRequest(url, {
    method: 'GET',
    headers: {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'x-library-key': 'key',
    },
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode ?? 0
}

/** Sends an upgrade and resets the connection at once. */
async function resetDuringUpgrade(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
  socket.resetAndDestroy()
  if (!socket.closed) await once(socket, 'close')
}

describe('a mock', () => {
  it("responds to later callers after a GET with a JSON body that can't be parsed", async () => {
    const url = await mock()
    expect(await getWithBody(url + BOOKS, 'application/json', '{')).toBe(400)
    const later = await fetch(url + BOOKS, { headers: { 'x-library-key': 'key' } })
    expect(later.status).toBe(200)
  })

  it('survives connections that are reset during an upgrade', async () => {
    const url = await mock()
    for (let count = 0; count < 300; count++) await resetDuringUpgrade(url)
    const later = await fetch(url + BOOKS, { headers: { 'x-library-key': 'key' } })
    expect(later.status).toBe(200)
  })
})

describe('the body of a request', () => {
  it('takes no more memory if it arrives in many pieces', async () => {
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
})

describe('a proxy', () => {
  it('responds with 413 to a request body above the limit, and sends nothing upstream', async () => {
    let asked = 0
    const url = await upstream((_request, response) => {
      asked += 1
      response.end('{}')
    })
    const proxy = await serveProxy({ spec, upstream: url, maxBodyBytes: 1000 })
    closing.push(() => proxy.close())
    const reply = await fetch(`${proxy.url}/v1/books/`, { method: 'POST', body: 'x'.repeat(1001) })
    expect(reply.status).toBe(413)
    expect(await reply.text()).toContain('1000 bytes')
    expect(asked).toBe(0)
  })

  it('responds with 503 if the bodies in progress exceed four times the limit', async () => {
    const url = await upstream((_request, response) => void response.end('{}'))
    const proxy = await serveProxy({ spec, upstream: url, maxBodyBytes: 1000 })
    closing.push(() => proxy.close())
    const { hostname, port } = new URL(proxy.url)
    const head = 'POST /v1/books/ HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n'
    let refused = ''
    for (let count = 0; count < 5; count++) {
      // Each caller stops before the last byte, so its body stays in progress.
      const socket = connect(Number(port), hostname)
      closing.push(async () => socket.destroy())
      socket.on('data', (data) => (refused += data.toString()))
      socket.write(head + 'x'.repeat(999))
      await once(socket, 'connect')
    }
    await expect.poll(() => refused).toContain('HTTP/1.1 503')
  })

  it('responds with 502 to a response body above the limit', async () => {
    const url = await upstream((_request, response) => void response.end('x'.repeat(1001)))
    const proxy = await serveProxy({ spec, upstream: url, maxBodyBytes: 1000 })
    closing.push(() => proxy.close())
    expect((await fetch(proxy.url + BOOKS)).status).toBe(502)
  })

  it("responds with 502 if the upstream doesn't respond in time", async () => {
    const url = await upstream(() => undefined)
    const seen: SeenExchange[] = []
    const proxy = await serveProxy({
      spec,
      upstream: url,
      timeoutMs: 20,
      onExchange: (one) => seen.push(one),
    })
    closing.push(() => proxy.close())
    expect((await fetch(proxy.url + BOOKS)).status).toBe(502)
    expect(seen.at(-1)?.findings[0]?.message).toContain('within 20 ms')
  })

  it('ends the exchange with the upstream when its caller disconnects', async () => {
    const arrived = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const url = await upstream((request) => {
      arrived.resolve()
      request.socket.once('close', () => ended.resolve())
    })
    const proxy = await serveProxy({ spec, upstream: url })
    closing.push(() => proxy.close())
    const caller = new AbortController()
    const reply = fetch(proxy.url + BOOKS, { signal: caller.signal })
    await arrived.promise
    caller.abort()
    await expect(reply).rejects.toThrow()
    await ended.promise
  })

  it('uses only the path of a request target that is an absolute URL', async () => {
    const targets: (string | undefined)[] = []
    const url = await upstream((request, response) => {
      targets.push(request.url)
      response.end('{}')
    })
    const proxy = await serveProxy({ spec, upstream: `${url}/base` })
    closing.push(() => proxy.close())
    const { hostname, port } = new URL(proxy.url)
    const send = async (path: string): Promise<number> => {
      const request = httpRequest({ hostname, port, path })
      request.end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode ?? 0
    }
    await send('http://elsewhere.example/v1/books/?sort=year')
    expect(targets).toEqual(['/base/v1/books/?sort=year'])
    expect(await send('elsewhere')).toBe(400)
    expect(targets).toHaveLength(1)
  })
})
