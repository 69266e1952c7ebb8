import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

import { CollectedBytes } from '@concord/spec-model'

import type { Exchange, HeaderLine, RecordedResponse, RecordedRequest } from './exchange.ts'
import { Cases, type CaseUrls } from './cases.ts'
import { type ListeningServer, listenOn } from './listen.ts'

/** `server` is the URL template of the server that the request went to. */
export type RequestHandler = (
  request: RecordedRequest,
  server: string,
) => Promise<RecordedResponse> | RecordedResponse

interface RecordedRequests {
  readonly exchanges: (Exchange & { readonly server: string })[]
  readonly respond: RequestHandler
}

/** A loopback server between the client under test and the code that responds. It records every request as sent. */
export class Front {
  readonly #server: ListeningServer
  readonly #cases: Cases<RecordedRequests>

  private constructor(server: ListeningServer) {
    this.#server = server
    this.#cases = new Cases(server.url)
  }

  static async start(): Promise<Front> {
    const server = createServer()
    // Connections stay open between cases. On a slow machine, the default timeout of five seconds could close a
    // connection while a request is being sent.
    server.keepAliveTimeout = 60_000
    const front = new Front(await listenOn(server))
    server.on('request', (request, outgoing) => void front.#handle(request, outgoing))
    return front
  }

  /** Runs one case, and records the requests that arrive in the meantime. Throws if another case is running. */
  serveDuring(
    servers: readonly string[],
    respond: RequestHandler,
    run: (recorded: RecordedRequests & CaseUrls) => Promise<void>,
  ): Promise<RecordedRequests & CaseUrls> {
    return this.#cases.run(servers, { exchanges: [], respond }, run)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const body = await bodyOf(incoming)
      const found = this.#cases.find(incoming.url ?? '/', incoming.method)
      if (!found) {
        send(outgoing, textResponse(404, 'The path is outside of all base URLs of this case.'))
        return
      }
      const { recorded, server, target } = found
      const request: RecordedRequest = {
        method: incoming.method ?? 'GET',
        target,
        headers: headerLines(incoming.rawHeaders),
        body,
      }
      const response = await recorded.respond(request, server)
      recorded.exchanges.push({ request, response, server })
      send(outgoing, response)
    } catch (error) {
      if (!outgoing.headersSent) send(outgoing, textResponse(502, `The test server failed: ${String(error)}`))
      else outgoing.destroy()
    }
  }
}

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

export function headerLines(rawHeaders: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    lines.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  }
  return lines
}

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'])

export function send(outgoing: ServerResponse, response: RecordedResponse): void {
  const headers = response.headers.filter(([name]) => !hopByHop.has(name.toLowerCase()))
  outgoing.writeHead(response.status, [
    ...headers.flat(),
    ...(response.status === 204 || response.status === 304
      ? []
      : ['content-length', String(response.body.length)]),
  ])
  outgoing.end(response.body)
}

export function textResponse(status: number, text: string): RecordedResponse {
  return { status, headers: [['content-type', 'text/plain; charset=utf-8']], body: Buffer.from(text) }
}
