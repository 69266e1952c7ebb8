import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'

import { ConnectionBrokenError } from './errors.ts'
import { headersOf } from './reply.ts'
import type { SocketEndpoint, Wire, WireEvents } from './socket-service.ts'

/** The maximum size of the reason in a close frame (RFC 6455, section 5.5). */
const MAX_REASON_BYTES = 123

/** Lets a server accept WebSocket connections. Returns a function that ends these connections immediately. */
export function serveSockets(
  server: Server,
  app: SocketEndpoint,
  { toUrl, failure }: { toUrl(incoming: IncomingMessage): string; failure(): Response },
): () => void {
  const sockets = new Set<Duplex>()
  const acceptor = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: app.messageLimitBytes,
  })

  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    void exchange(incoming, socket, head)
  })

  async function exchange(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (!isWebSocketRequest(incoming)) {
      // The upgrade is invalid. Leave the error response to the WebSocket library.
      acceptor.handleUpgrade(incoming, socket, head, (webSocket) => webSocket.terminate())
      return
    }
    const gone = new AbortController()
    socket.once('close', () => gone.abort(new DOMException('The client went away.', 'AbortError')))
    try {
      const result = await app.upgrade({
        url: new URL(toUrl(incoming)),
        headers: headersOf(incoming.rawHeaders),
        signal: gone.signal,
      })
      if (result.denial) {
        await writeResponse(socket, result.denial)
        return
      }
      let isAccepted = false
      acceptor.handleUpgrade(incoming, socket, head, (webSocket) => {
        isAccepted = true
        connect(webSocket, result.accept)
      })
      if (!isAccepted) result.abandon()
    } catch (error) {
      if (error instanceof ConnectionBrokenError || gone.signal.aborted) socket.destroy()
      else await writeResponse(socket, failure())
    }
  }

  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

function connect(webSocket: WebSocket, accept: (wire: Wire) => WireEvents): void {
  webSocket.on('error', () => {})
  const events = accept({
    send: (frame) => webSocket.send(frame),
    close: (code, reason) => webSocket.close(code, cut(reason)),
    fail: (error) => webSocket.close(1011, cut(error.message)),
    terminate: () => webSocket.terminate(),
    pause: () => webSocket.pause(),
  })
  webSocket.on('message', (data: Buffer, isBinary) =>
    events.frame(isBinary ? new Uint8Array(data) : data.toString()),
  )
  webSocket.on('close', (code, reason) => events.closed(code, reason.toString()))
}

function isWebSocketRequest({ method, headers }: IncomingMessage): boolean {
  const version = headers['sec-websocket-version']
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
    (version === '13' || version === '8')
  )
}

async function writeResponse(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer())
  const headers = [...response.headers].filter(([name]) => !/^(content-length|connection)$/.test(name))
  const lines = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? 'Denied'}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    'connection: close',
  ]
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]))
}

function cut(reason: string): string {
  let text = reason
  while (Buffer.byteLength(text) > MAX_REASON_BYTES) text = text.slice(0, -1)
  return text
}
