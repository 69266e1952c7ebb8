import type { IncomingMessage } from 'node:http'

import { CollectedBytes, invalidOptions, type SocketChannel } from '@concord/spec-model'
import { WebSocket } from 'ws'

/** The default time limit for the response to a handshake. A slower service counts as unreachable. */
const HANDSHAKE_TIMEOUT_MS = 30_000

/** The maximum size of a denial's body. A longer body is truncated. */
const MAX_BYTES = 1024 * 1024

/**
 * Returns the URL of a channel's server.
 *
 * @throws ContractError if the URL is missing or invalid.
 */
export function upstreamOf(
  upstream: string | Readonly<Record<string, string>>,
  { server }: Pick<SocketChannel, 'server'>,
): string {
  const url = typeof upstream === 'string' ? upstream : upstream[server]
  if (url !== undefined && /^(?:https?|wss?):$/.test(URL.parse(url)?.protocol ?? '')) return url
  throw invalidOptions(
    `\`upstream\` has no valid URL for the server \`${server}\`.`,
    'Pass an http, https, ws or wss URL as `upstream`, or an object that maps each server to its URL.',
  )
}

/** Converts an http or https URL to a ws or wss URL, and removes a trailing slash. */
export function socketBase(upstream: string): string {
  return upstream.replace(/^http/, 'ws').replace(/\/$/, '')
}

interface DialOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
  readonly handshakeTimeoutMs?: number | undefined
}

/** Starts opening a WebSocket to a service. Use {@link denialOf} to wait until the WebSocket is open or denied. */
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

export interface Denial {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Waits for a WebSocket to open. Returns undefined if it opens, or else the denial or the error. */
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

/** Reads a body, and ends the connection. Never rejects: if the body ends early, returns the part that arrived. */
async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  // Once the response is complete, nothing else handles connection errors. Without this listener, a reset would end
  // the process.
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
