import { text } from 'node:stream/consumers'
import { Agent } from 'undici'
import { expect, it } from 'vitest'
import { stream } from '../http/stream.ts'
import { createItem, getItem, listItems, rejection } from '../http/test-support/fixtures.ts'
import { clientTo, httpServer, type Loopback, serving, socketServer } from './test-support/loopback.ts'
import { runProgram } from './test-support/program.ts'
import { nodeTransport } from './transport.ts'

const input = { path: { item_id: 'a' } }
const item = { id: 'a', status: 'done' }

function answering(delayTurns = 0): Promise<Loopback> {
  return httpServer((_request, response) => {
    let turns = delayTurns
    const reply = (): void => {
      if (turns-- > 0) return void setImmediate(reply)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(item))
    }
    reply()
  })
}

/** Runs a script with an operation in a separate process, and returns its output. */
const script = async (text: string): Promise<unknown> =>
  JSON.parse(await runProgram(`const operation = ${JSON.stringify({ ...listItems, security: [] })}; ${text}`))

/** Lists the loaded modules of undici, HTTP and WebAssembly, and the handles that keep the process alive. */
const LOADED = `
  const { createRequire } = await import('node:module')
  const { cache } = createRequire(import.meta.url)
  const loaded = () => ({
    undici: Object.keys(cache).filter((file) => file.includes('undici')).length,
    active: process.getActiveResourcesInfo().filter((name) => !name.includes('TTY') && !name.includes('Pipe')),
  })`

it('R-12: importing and creating a client loads no network code and opens no connections', async () => {
  const seen = await script(`${LOADED}
      const { createClient } = await import('@concord/runtime')
      const { nodeTransport } = await import('@concord/runtime/node')
      createClient({ servers: { api: 'http://127.0.0.1:9' } })
      createClient({ servers: { api: 'http://127.0.0.1:9' }, transport: nodeTransport() })
      console.log(JSON.stringify(loaded()))`)
  expect(seen).toEqual({ undici: 0, active: [] })
})

it('R-20: the error for an unreachable service says that nothing was sent, names the operation, and its stack includes the caller', async () => {
  await using client = clientTo('http://127.0.0.1:1', { retry: { maxAttempts: 1 } })
  const asking = async () => await client.send(getItem, input)
  const error = (await rejection(asking())) as Error
  const refused = { phase: 'connect', sent: 'no', cause: { code: 'ECONNREFUSED' } }
  expect(error).toMatchObject({ code: 'connection', operation: 'getItem', ...refused })
  expect(error.message).toMatch(/^getItem: GET http:\/\/127.0.0.1:1: the server could not be reached/)
  expect(error.stack).toMatch(/at (?:async )?asking /)
})

it('R-12: only the needed modules of undici are loaded, and their paths are the expected ones', async () => {
  await using server = await answering()
  const seen = await script(`${LOADED}
      const { createClient } = await import('@concord/runtime')
      const client = createClient({ servers: { api: '${server.origin}' } })
      const data = await client.send(operation, {})
      const { undici } = loaded()
      console.log(JSON.stringify({ data, undici }))`)
  expect(seen).toMatchObject({ data: item })
  const { undici } = seen as { undici: number }
  expect(undici).toBeGreaterThan(5)
  expect(undici).toBeLessThan(40)
})

it('R-12: the error for undici failing to load names it and says what to do', async () => {
  const seen = await script(`
      const { registerHooks } = await import('node:module')
      registerHooks({ resolve(specifier, context, next) {
        if (specifier.startsWith('undici/')) throw new Error('Dynamic require of "node:async_hooks" is not supported')
        return next(specifier, context)
      } })
      const { createClient } = await import('@concord/runtime')
      const client = createClient({ servers: { api: 'http://127.0.0.1:9' } })
      const error = await client.send(operation, {}).catch((error) => error)
      console.log(JSON.stringify({ ...error.toJSON(), cause: error.cause.message }))`)
  expect(seen).toMatchObject({
    code: 'invalid-options',
    option: 'transport',
    cause: 'Dynamic require of "node:async_hooks" is not supported',
  })
  const { message } = seen as { message: string }
  expect(message).toContain('The transport for Node needs undici, which could not be loaded')
  expect(message).toContain('fetchTransport()')
})

it('R-12: a process ends by itself after its last call, without closing', async () => {
  await using server = await answering()
  const seen = await script(`
      const { createClient } = await import('@concord/runtime')
      const client = createClient({ servers: { api: '${server.origin}' }, timeoutMs: 600_000 })
      console.log(JSON.stringify(await client.send(operation, {})))`)
  expect(seen).toEqual(item)
})

it('R-12: a process ends when a client is closed while it connects', async () => {
  const seen = await script(`
      const { createServer } = await import('node:net')
      const server = createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => server.on('listening', resolve))
      const { createClient } = await import('@concord/runtime')
      const client = createClient({ servers: { api: 'https://127.0.0.1:' + server.address().port } })
      const sending = client.send(operation, {}).catch((error) => error.code)
      await new Promise((resolve) => server.once('connection', resolve))
      await client.close()
      server.close()
      console.log(JSON.stringify(await sending))`)
  expect(seen).toBe('connection')
})

it('R-12: connections are kept, and never more than allowed', async () => {
  await using server = await answering(3)
  await using client = clientTo(server.origin, { connections: 4 })
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 20 }, () => client.send(getItem, input)))
  }
  expect(server.connections()).toBe(4)
})

it('R-12: each server has its own pool', async () => {
  await using first = await answering()
  await using second = await answering()
  await using client = clientTo(first.origin, { servers: { api: first.origin, other: second.origin } })
  await client.send(getItem, input)
  await client.send({ ...getItem, server: 'other' }, input)
  expect([first.connections(), second.connections()]).toEqual([1, 1])
})

it('R-12: a custom dispatcher is used, and left open', async () => {
  await using server = await answering()
  const dispatcher = new Agent({ connections: 1 })
  const client = clientTo(server.origin, { transport: nodeTransport({ dispatcher }) })
  expect(await client.send(getItem, input)).toEqual(item)
  await client.close()
  expect(dispatcher.destroyed).toBe(false)
  await dispatcher.close()
})

it('R-10: a redirect to another server is not followed, and no key is sent to it', async () => {
  await using elsewhere = await answering()
  const { client } = await serving((_request, response) => {
    response.writeHead(307, { location: `${elsewhere.origin}/v1/items/a?signature=s3cr3t` }).end()
  })
  const error = await rejection(client.send(getItem, input))
  expect(error).toMatchObject({ code: 'http', status: 307 })
  expect(String(error)).toContain(elsewhere.origin)
  expect(String(error)).not.toContain('s3cr3t')
  expect(elsewhere.connections()).toBe(0)
})

it('a byte order mark is not part of the text', async () => {
  const { client } = await serving((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(`\uFEFF${JSON.stringify(item)}`)
  })
  expect(await client.send(getItem, input)).toEqual(item)
})

it('informational responses are skipped', async () => {
  const { client } = await serving((_request, response) => {
    response.writeProcessing()
    response.writeEarlyHints({ link: '</x>; rel=preload' })
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(item))
  })
  expect(await client.send(getItem, input)).toEqual(item)
})

it('a body that arrives in many pieces, split anywhere, is read whole', async () => {
  const text = JSON.stringify({ ...item, note: 'grüße, 日本語 🌍'.repeat(50) })
  const { client } = await serving((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7))
    response.end()
  })
  const exchange = await client.exchange(getItem, input)
  expect(exchange.data).toEqual(JSON.parse(text))
  expect(exchange.text()).toBe(text)
  expect(exchange.bytes()).toEqual(Buffer.from(text))
})

it('methods that OpenAPI 3.2 added are sent with a body', async () => {
  const received: string[] = []
  const { client } = await serving(async (request, response) => {
    received.push(`${request.method} ${await text(request)}`)
    response.setHeader('content-type', 'application/json').end('{"id":"a","status":"new"}')
  })
  for (const method of ['QUERY', 'COPY'])
    await client.send({ ...createItem, method }, { body: { name: 'x' } })
  expect(received).toEqual(['QUERY {"name":"x"}', 'COPY {"name":"x"}'])
})

it('R-02: a late reader of a response that arrives one byte at a time reads it in linear time', async () => {
  const count = 600_000
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
  await using server = await socketServer((socket) =>
    socket.on('data', () => socket.end(`${head}${'1\r\n1\r\n'.repeat(count)}0\r\n\r\n`)),
  )
  await using client = clientTo(server.origin)
  const { body } = await stream(client, listItems, {})
  const [socket] = server.sockets
  // Continues until the connection is paused, so that nothing more is read.
  for (let turns = 0, seen = -1; turns < 50; turns++) {
    const left = socket!.writableLength
    if (left !== seen) turns = 0
    seen = left
    await new Promise((resolve) => setImmediate(resolve))
  }
  let bytes = 0
  let pieces = 0
  for await (const piece of body) {
    bytes += piece.length
    pieces += 1
  }
  expect(bytes).toBe(count)
  expect(pieces).toBeLessThan(count / 2)
})
