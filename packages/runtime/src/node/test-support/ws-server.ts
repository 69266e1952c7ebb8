import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

import { onTestFinished } from 'vitest'
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws'

import { listen } from './loopback.ts'

/** A WebSocket server on the loopback interface, for the tests of this package. */
export interface WsServer extends AsyncDisposable {
  /** Has the scheme `http`. */
  readonly origin: string
  /** The sockets of all clients so far. */
  readonly sockets: readonly WebSocket[]
  readonly requests: readonly IncomingMessage[]
}

/** Starts a server. If `deny` returns an HTTP response, this response is sent instead of completing the handshake. */
export async function wsServer(
  onConnection: (socket: WebSocket, request: IncomingMessage) => void = () => undefined,
  options: ServerOptions & {
    readonly deny?: (request: IncomingMessage) => string | undefined
    readonly response?: (request: IncomingMessage, response: ServerResponse) => void
  } = {},
): Promise<WsServer> {
  const { deny, response: reply, ...rest } = options
  const http = createServer(reply)
  const server = new WebSocketServer({ noServer: true, ...rest })
  const sockets: WebSocket[] = []
  const requests: IncomingMessage[] = []
  http.on('upgrade', (request, socket, head) => {
    requests.push(request)
    socket.on('error', () => undefined)
    const denial = deny?.(request)
    if (denial !== undefined) return socket.end(denial, 'latin1')
    return server.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.push(webSocket)
      webSocket.on('error', () => undefined)
      onConnection(webSocket, request)
    })
  })
  return { ...(await listen(http)), sockets, requests }
}

/** Starts a server that is closed when the test has finished. */
export async function serveSockets(...options: Parameters<typeof wsServer>): Promise<WsServer> {
  const server = await wsServer(...options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}
