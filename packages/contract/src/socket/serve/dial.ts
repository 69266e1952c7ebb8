import type { IncomingMessage } from 'node:http'

import { CollectedBytes, invalidOptions, type SocketChannel } from '@concord/spec-model'
import { WebSocket } from 'ws'

/** The default time limit for the response to a handshake. After it, the service counts as unreachable. */
const HANDSHAKE_TIMEOUT_MS = 30_000

/** The maximum size of the body of a denial. The rest of a longer body isn't read. */
const MAX_BYTES = 1024 * 1024

/**
 * Returns the URL of a channel's server.
 *
 * @throws ContractError if it is missing or invalid.
 */
export function upstreamOf(
  upstream: string | Readonly<Record<string, string>>,
  { server }: Pick<SocketChannel, 'server'>,
): string {
  const url = typeof upstream === 'string' ? upstream : upstream[server]
  if (url !== undefined && /^(?:https?|wss?):$/.test(URL.parse(url)?.protocol ?? '')) return url
  throw invalidOptions(
    `The \`upstream\` of the server \`${server}\` is missing, or isn't a valid URL.`,
    'Pass an http, https, ws or wss URL.',
  )
}

/** Returns a base URL for WebSockets, without a slash at its end. */
export function socketBase(upstream: string): string {
  return upstream.replace(/^http/, 'ws').replace(/\/$/, '')
}

interface DialOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
  readonly handshakeTimeoutMs?: number | undefined
}

/** Starts to open a WebSocket to a service. {@link denialOf} waits until it is open or denied. */
export function dial(
  url: string,
  { headers, protocols = [], handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS }: DialOptions,
): WebSocket {
  return new WebSocket(url, [...protocols], {
    headers: { ...headers },
    perMessageDeflate: false,
    followRedirects: false,
    handshakeTimeout: handshakeTimeoutMs,
  })
}

/** The response to a handshake that a service denied. */
export interface Denial {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Waits until a WebSocket is open, and returns undefined. If it fails to open, returns the denial or the error. */
export function denialOf(socket: WebSocket): Promise<Denial | Error | undefined> {
  return new Promise((resolve) => {
    socket.once('open', () => resolve(undefined))
    socket.once('unexpected-response', async (_request, response) => {
      const body = await bodyOf(response)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
    })
    socket.on('error', resolve)
  })
}

/** Reads a body, and ends the connection. It never fails: if the body ends early, it returns the part that arrived. */
async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  // After the response is complete, nothing else handles errors of the connection. A reset would then end the process.
  response.socket.on('error', () => {})
  const collected = new CollectedBytes()
  try {
    for await (const chunk of response) {
      collected.add(chunk as Buffer)
      if (collected.sizeBytes >= MAX_BYTES) break
    }
  } catch {
    // The part that arrived is enough.
  }
  response.destroy()
  return Buffer.from(collected.whole().buffer).subarray(0, MAX_BYTES)
}
