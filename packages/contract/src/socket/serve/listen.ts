import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Duplex } from 'node:stream'

import { WebSocketServer, type RawData, type WebSocket } from 'ws'

import { headerLines } from '../../http/front.ts'
import { type ListeningServer, listenOn } from '../../http/listen.ts'
import type { Handshake } from '../judge/channel-of.ts'
import type { Frame } from '../judge/judge-frame.ts'

/** A larger message closes the connection with the code 1009. */
const maxMessageBytes = 64 * 1024 * 1024

/** The response to a handshake. Denies or accepts the connection. */
export type Greeting =
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly accept: (socket: WebSocket) => void
      /** The subprotocol of the connection. Default: the first one that the client offered. */
      readonly protocol?: string
      /** Called instead of `accept` if the client has disconnected, or the handshake turns out to be invalid. */
      readonly abandon?: () => void
    }

const socketsOnly: RequestListener = (_request, response) => {
  response.writeHead(426, { 'content-type': 'text/plain; charset=utf-8', upgrade: 'websocket' })
  response.end('This server accepts only WebSocket connections.')
}

export type Greet = (handshake: Handshake) => Greeting | Promise<Greeting>

/**
 * Makes an HTTP server accept WebSockets. A handshake or frame that violates the protocol ends only its own
 * connection.
 *
 * @returns a function that ends all connections.
 */
export function takeSockets(http: Server, greet: Greet): () => void {
  const chosen = new WeakMap<IncomingMessage, string>()
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered, request) => chosen.get(request) ?? [...offered][0] ?? false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
  })
  sockets.on('wsClientError', (_error, socket) => void socket.destroy())
  http.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    welcome(request, socket, head).catch((error: unknown) => denyUpgrade(socket, 500, String(error)))
  })
  const welcome = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const greeting = await greet({ target: request.url ?? '/', headers: headerLines(request.rawHeaders) })
    if ('status' in greeting) return denyUpgrade(socket, greeting.status, greeting.body, greeting.headers)
    if (greeting.protocol) chosen.set(request, greeting.protocol)
    const abandon = (): void => greeting.abandon?.()
    if (socket.destroyed) return abandon()
    socket.once('close', abandon)
    sockets.handleUpgrade(request, socket, head, (opened) => {
      socket.off('close', abandon)
      // An `error` event without a listener would throw. After an invalid frame, `ws` itself closes the connection.
      opened.on('error', () => {})
      greeting.accept(opened)
    })
  }
  return () => {
    for (const client of sockets.clients) client.terminate()
    sockets.close()
  }
}

/**
 * Listens for WebSockets; see {@link takeSockets}. Responds to other requests with 426.
 *
 * @throws ContractError if the port is taken.
 */
export async function listenForSockets(
  greet: Greet,
  where: { readonly host?: string; readonly port?: number } = {},
): Promise<ListeningServer> {
  const http = createServer(socketsOnly)
  return listenOn(http, where, takeSockets(http, greet))
}

export function toFrame(data: RawData, binary: boolean): Frame {
  const bytes = Array.isArray(data)
    ? Buffer.concat(data)
    : data instanceof ArrayBuffer
      ? Buffer.from(data)
      : data
  return { binary, data: bytes }
}

/** While more than this many bytes wait for a slow reader, {@link sendFrame} pauses its `source`. */
const highMarkBytes = 1024 * 1024
/** If more than this many bytes wait for a slow reader, the reader's connection is ended. */
const maxWaitingBytes = 2 * maxMessageBytes

/**
 * @param source the connection to pause while too much data waits to be sent on `socket`. A proxy passes the
 *   connection from which it received the frame. Default: `socket`, because each message from it can cause a reply.
 */
export function sendFrame(socket: WebSocket, { data, binary }: Frame, source: WebSocket = socket): void {
  if (socket.readyState !== socket.OPEN) return
  socket.send(data, { binary }, () => {
    if (socket.bufferedAmount <= highMarkBytes) source.resume()
  })
  if (socket.bufferedAmount > highMarkBytes) source.pause()
  // A pause isn't always enough: messages that have already arrived are still handled, and can cause huge replies.
  if (socket.bufferedAmount > maxWaitingBytes) socket.terminate()
}

export function jsonFrame(value: unknown): Frame {
  return { binary: false, data: Buffer.from(JSON.stringify(value)) }
}

/** If the protocol forbids sending `code`, sends 1011 instead. */
export function closeSocket(socket: WebSocket, code = 1000, reason = ''): void {
  const sendable =
    code === 1000 || (code >= 1001 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || code >= 3000
  socket.close(sendable ? code : 1011, Buffer.from(reason).subarray(0, 120).toString())
}

function denyUpgrade(
  socket: Duplex,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const lines = Object.entries({ 'content-type': 'text/plain; charset=utf-8', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.end(
    `HTTP/1.1 ${status} Denied\r\n${lines}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
