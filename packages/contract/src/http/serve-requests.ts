import { createServer } from 'node:http'

import type { Spec } from '@concord/spec-model'

import { credentialsOf, hiderOf } from '../recorded/credentials.ts'
import { type Greet, takeSockets } from '../socket/serve/listen.ts'
import { bodyLimit, BodyTooLarge, type HeldBody } from './body-limit.ts'
import { type Finding, finding, type RecordedRequest, type RecordedResponse } from './exchange.ts'
import type { ForwardOptions } from './forward.ts'
import { bodyOf, headerLines, send, textResponse } from './front.ts'
import { type ListeningServer, listenOn } from './listen.ts'

export const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024

/** A summary of an exchange that a mock or proxy handled. It has no headers and no bodies. @public */
export interface SeenExchange {
  /** The operation's id. Undefined if the contract has no operation for the request, or if the exchange failed. */
  readonly operation?: string
  readonly method: string
  /** The contract's path template. If `operation` is undefined, this is the requested path without the query. */
  readonly path: string
  readonly status: number
  readonly findings: readonly Finding[]
}

/** Returns the response to a request, and the exchange to report. */
export type Handler = (
  request: RecordedRequest,
  limits: Required<Pick<ForwardOptions, 'signal' | 'startCount'>>,
) => Promise<{ readonly response: RecordedResponse; readonly seen?: SeenExchange }>

interface Serving {
  readonly handler: Handler
  /** The contract's security schemes. Credentials of these schemes never appear in reported exchanges. */
  readonly securitySchemes?: Spec['securitySchemes']
  readonly host?: string
  readonly port?: number
  readonly maxBodyBytes?: number | undefined
  readonly onExchange?: ((seen: SeenExchange) => void) | undefined
  /**
   * Handles WebSocket handshakes. By default, the server denies all handshakes with 501. It doesn't pass them to
   * `handler`, because the handler's response would look like a denial by the service.
   */
  readonly greet?: Greet
  /** Called after the server has closed, or if it can't listen. */
  readonly cleanUp?: () => void
}

/**
 * Serves requests, and limits the size of bodies.
 *
 * @throws ContractError if the port is taken.
 */
export async function serveRequests({
  handler,
  securitySchemes = {},
  maxBodyBytes = DEFAULT_MAX_BODY_BYTES,
  onExchange,
  greet = () => ({ status: 501, body: '' }),
  cleanUp = () => undefined,
  ...where
}: Serving): Promise<ListeningServer> {
  const hold = bodyLimit(maxBodyBytes)
  const server = createServer((incoming, outgoing) => {
    // The request body, the response body and the decoded response body are limited separately.
    const bodies: HeldBody[] = []
    const startCount = (): HeldBody['add'] => {
      const body = hold()
      bodies.push(body)
      return body.add
    }
    const callerGone = new AbortController()
    outgoing.once('close', () => {
      callerGone.abort(new Error('the caller closed the connection'))
      for (const body of bodies) body.release()
    })
    const handle = async (): Promise<void> => {
      const target = originForm(incoming.url ?? '/')
      if (target === undefined) return send(outgoing, textResponse(400, "The request target isn't a path."))
      const request = {
        method: incoming.method ?? 'GET',
        target,
        headers: headerLines(incoming.rawHeaders),
        body: await bodyOf(incoming, startCount()),
      }
      const { response, seen } = await handler(request, { signal: callerGone.signal, startCount })
      if (seen) onExchange?.(seen)
      send(outgoing, response)
    }
    handle().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'the exchange failed'
      // If the request has been read completely, BodyTooLarge is about a response body.
      const status = error instanceof BodyTooLarge && !incoming.complete ? error.status : 502
      const target = originForm(incoming.url ?? '/') ?? ''
      const headers = headerLines(incoming.rawHeaders)
      const hideCredentials = hiderOf(credentialsOf(securitySchemes, { target, headers }))
      onExchange?.({
        method: incoming.method ?? '',
        path: hideCredentials(target.split('?')[0] ?? ''),
        status,
        findings: [finding('status', 'response', reason)],
      })
      if (outgoing.headersSent || outgoing.destroyed) return outgoing.destroy()
      // The rest of the request body isn't read, so the connection can't be reused.
      if (!incoming.complete) outgoing.shouldKeepAlive = false
      return send(outgoing, textResponse(status, reason))
    })
  })
  const endSockets = takeSockets(server, greet)
  try {
    const listening = await listenOn(server, where, endSockets)
    const close = async (): Promise<void> => {
      await listening.close()
      cleanUp()
    }
    return { url: listening.url, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    cleanUp()
    throw error
  }
}

/**
 * Returns the path and query of a request target. A target may be an absolute URL (RFC 9112, section 3.2.2). The
 * URL's origin is ignored, so a request can't choose the upstream.
 */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target
  const url = URL.parse(target)
  return url !== null && /^https?:$/.test(url.protocol) ? `${url.pathname}${url.search}` : undefined
}
