import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

import type { WebhookReceiver } from './webhook.ts'

/**
 * Turns a webhook receiver into a request listener for `node:http` and compatible servers.
 *
 * ```ts
 * import { createServer } from 'node:http'
 * import { Extraction, webhookReceiver } from '@concord/extraction'
 * import { nodeWebhookListener } from '@concord/extraction/node'
 *
 * const extraction = Extraction.fromEnv()
 * const receive = webhookReceiver(extraction, { onJob: (job) => console.log(job.id, job.status) })
 * createServer(nodeWebhookListener(receive)).listen(8080)
 * ```
 *
 * @public
 */
export function nodeWebhookListener(
  receive: WebhookReceiver,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void respond(receive, request, response)
  }
}

async function respond(
  receive: WebhookReceiver,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let status = 400
  let headers: Headers | undefined
  try {
    const result = await receive(toRequest(request))
    status = result.status
    headers = result.headers
  } catch {
    // The receiver handles its own errors, so `toRequest` threw: Fetch doesn't support the request's method or URL.
  }
  // If the body wasn't read completely, the connection is closed, so that the sender stops sending.
  if (!request.complete) response.setHeader('connection', 'close')
  headers?.forEach((value, name) => response.setHeader(name, value))
  response.writeHead(status).end()
}

function toRequest(request: IncomingMessage): Request {
  const { method = 'GET' } = request
  // The only header that Node returns as a list is Set-Cookie, which requests don't have.
  const headers = new Headers(request.headers as Record<string, string>)
  // `new Request` needs an absolute URL. The receiver doesn't read the URL, so the host can be made up.
  const url = new URL(request.url ?? '/', 'http://webhook.invalid')
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers })
  const body = Readable.toWeb(request) as ReadableStream<Uint8Array>
  return new Request(url, { method, headers, body, duplex: 'half' } as RequestInit)
}
