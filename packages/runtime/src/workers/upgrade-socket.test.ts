import { WebSocket } from 'ws'
import { expect, it } from 'vitest'

import { createClient } from '../http/client.ts'
import { KEY, rejection } from '../http/test-support/fixtures.ts'
import { serveSockets } from '../node/test-support/ws-server.ts'
import { connect } from '../socket/connect.ts'
import { bytes, radio } from '../socket/test-support/radio.ts'
import { type UpgradeFetch, workersSocketFactory } from './upgrade-socket.ts'

// A stand-in for the `fetch` of Cloudflare Workers, over real sockets. The project tools/consumers/projects/workers runs the real one.
const upgradeFetch: UpgradeFetch = (url, { headers, signal, redirect }) =>
  new Promise((resolve, reject) => {
    const { upgrade: _, ...others } = headers
    const socket = new WebSocket(url.replace(/^http/, 'ws'), {
      headers: others,
      followRedirects: redirect !== 'manual',
    })
    signal.addEventListener('abort', () => {
      socket.terminate()
      reject(signal.reason as Error)
    })
    socket.on('error', reject)
    socket.on('upgrade', ({ socket: connection }) => connection.pause())
    socket.on('open', () => {
      const accept = (): void => socket.resume()
      socket.pause()
      resolve(Object.assign(new Response(null), { webSocket: Object.assign(socket, { accept }) }) as never)
    })
    socket.on('unexpected-response', (_request, { statusCode = 0 }) =>
      resolve(Object.assign(new Response('denied', { status: statusCode }), { webSocket: null })),
    )
  })

it('sockets of Cloudflare Workers send the credential, and carry text and bytes both ways', async () => {
  const server = await serveSockets((socket) =>
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })),
  )
  const connection = await connect(clientOf(server.origin), radio)
  const reader = connection[Symbol.asyncIterator]()
  await connection.sendText('{"type":"Line","text":"é"}')
  await connection.sendBinary(bytes(70_000))
  expect((await reader.next()).value).toMatchObject({ message: 'line', data: { text: 'é' } })
  expect((await reader.next()).value).toEqual({ type: 'message', message: 'audio', data: bytes(70_000) })
  expect(server.requests[0]?.headers.authorization).toBe(KEY)
  expect(await connection.close({ code: 3001, reason: 'bye' })).toMatchObject({
    closeCode: 3001,
    reason: 'bye',
  })
})

it('sockets of Cloudflare Workers show how a handshake was denied', async () => {
  const server = await serveSockets(undefined, { deny: () => 'HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n' })
  expect(await rejection(connect(clientOf(server.origin), radio))).toMatchObject({
    code: 'socket-denied',
    status: 403,
  })
})

it('sockets of Cloudflare Workers report a redirect, and send the credential only to the first server', async () => {
  const target = await serveSockets()
  const location = target.origin.replace(/^http/, 'ws')
  const server = await serveSockets(undefined, {
    deny: () => `HTTP/1.1 302 Found\r\nlocation: ${location}/v1/listen\r\ncontent-length: 0\r\n\r\n`,
  })
  expect(await rejection(connect(clientOf(server.origin), radio))).toMatchObject({
    code: 'socket-denied',
    status: 302,
  })
  expect(target.requests).toEqual([])
})

it('sockets of Cloudflare Workers report a server that was not reached', async () => {
  expect(await rejection(connect(clientOf('http://127.0.0.1:1'), radio))).toMatchObject({
    code: 'connection',
    message: expect.stringContaining('ws://127.0.0.1:1: the connection was not opened.'),
  })
})

it('sockets of Cloudflare Workers end the handshake when the caller aborts', async () => {
  const server = await serveSockets()
  const controller = new AbortController()
  const reason = new Error('enough')
  const connecting = connect(clientOf(server.origin), radio, { signal: controller.signal })
  controller.abort(reason)
  expect(await rejection(connecting)).toBe(reason)
})

const clientOf = (origin: string) =>
  createClient({
    servers: { api: origin },
    credentials: { key: { in: 'header', name: 'authorization', value: KEY } },
    socketFactory: workersSocketFactory({ fetch: upgradeFetch }),
  })
