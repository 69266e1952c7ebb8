import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { CollectedBytes } from '@concord/spec-model'

import type { Exchange, HeaderLine, RecordedAnswer, RecordedRequest } from './exchange.ts'

/** Returns the answer to a request that arrived under the base path. */
export type Answerer = (request: RecordedRequest, server: string) => Promise<RecordedAnswer> | RecordedAnswer

/** One turn at the front: what came in while one case was run. */
export interface Turn {
  /** The base address of each server of the spec, by the server's address template. */
  readonly addresses: { readonly [server: string]: string }
  /** The exchanges, in order, with the server that each request went to. */
  readonly exchanges: (Exchange & { readonly server: string })[]
  /** Paths that were asked for outside of every base address. */
  readonly strays: string[]
}

/**
 * A loopback server between the client under test and whatever answers. It records every request as it
 * was on the wire. Each turn has its own base addresses, all with a path prefix, so that a client that drops
 * the prefix, or takes the address of another call, is seen.
 */
export class Front {
  readonly #server: Server
  #turn:
    | { readonly turn: Turn; readonly prefixes: Map<string, string>; readonly answer: Answerer }
    | undefined
  #count = 0

  private constructor(server: Server) {
    this.#server = server
  }

  /** Starts listening on a free loopback port. */
  static async start(): Promise<Front> {
    const server = createServer()
    // Kept open between cases; the default of five seconds would race with a slow machine.
    server.keepAliveTimeout = 60_000
    const front = new Front(server)
    server.on('request', (request, response) => void front.#handle(request, response))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    return front
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Runs one case; every request that comes in meanwhile belongs to it. Not to be called for two at once. */
  async turn(
    servers: readonly string[],
    answer: Answerer,
    run: (turn: Turn) => Promise<void>,
  ): Promise<Turn> {
    if (this.#turn) throw new Error('a turn is under way')
    this.#count += 1
    const prefixes = new Map<string, string>()
    servers.forEach((server, at) => prefixes.set(`/turn-${this.#count}/server-${at}/base%20path`, server))
    const turn: Turn = {
      addresses: Object.fromEntries([...prefixes].map(([prefix, server]) => [server, this.#origin + prefix])),
      exchanges: [],
      strays: [],
    }
    this.#turn = { turn, prefixes, answer }
    try {
      await run(turn)
    } finally {
      this.#turn = undefined
    }
    return turn
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await bodyOf(incoming)
      const current = this.#turn
      const url = incoming.url ?? '/'
      const prefix = current && [...current.prefixes.keys()].find((one) => url.startsWith(`${one}/`))
      if (!current || !prefix) {
        current?.turn.strays.push(`${incoming.method} ${url.split('?')[0]}`)
        send(response, textAnswer(404, 'No base address of this turn.'))
        return
      }
      const server = current.prefixes.get(prefix) ?? ''
      const request: RecordedRequest = {
        method: incoming.method ?? 'GET',
        target: url.slice(prefix.length),
        headers: headerLines(incoming.rawHeaders),
        body,
      }
      const answer = await current.answer(request, server)
      current.turn.exchanges.push({ request, answer, server })
      send(response, answer)
    } catch (error) {
      if (!response.headersSent) send(response, textAnswer(502, `The test server failed: ${String(error)}`))
      else response.destroy()
    }
  }
}

/**
 * Reads a body to its end.
 *
 * @param count Called with the length of each chunk; what it throws ends the reading.
 */
export async function bodyOf(
  incoming: IncomingMessage,
  count?: (bytes: number) => void,
): Promise<Uint8Array> {
  const collected = new CollectedBytes()
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    count?.(chunk.length)
    collected.add(chunk)
  }
  return collected.whole()
}

/** The pairs of Node's flat list of raw headers. */
export function headerLines(rawHeaders: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    lines.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  }
  return lines
}

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'])

/** Writes a recorded answer. */
export function send(response: ServerResponse, answer: RecordedAnswer): void {
  const headers = answer.headers.filter(([name]) => !hopByHop.has(name.toLowerCase()))
  response.writeHead(answer.status, [
    ...headers.flat(),
    ...(answer.status === 204 || answer.status === 304 ? [] : ['content-length', String(answer.body.length)]),
  ])
  response.end(answer.body)
}

/** A plain answer of ours. */
export function textAnswer(status: number, text: string): RecordedAnswer {
  return { status, headers: [['content-type', 'text/plain; charset=utf-8']], body: Buffer.from(text) }
}
