import { createServer } from 'node:http'
import {
  invalidOptions,
  loadSpec,
  type Operation,
  schemaOracle,
  type SocketSpec,
  type Spec,
} from '@concord/spec-model'

import { judgeRequest } from '../oracle/request-judge.ts'
import { judgeResponse } from '../oracle/response-judge.ts'
import { credentialsOf, hiderOf, withoutSecrets } from '../recorded/credentials.ts'
import type { HarRecorder } from '../recorded/recorder.ts'
import { BodyLimit, BodyTooLarge } from './body-limit.ts'
import type { Finding, RecordedResponse, RecordedRequest } from './exchange.ts'
import { mockResponse } from './contract-mock.ts'
import { decodedResponse } from './decode.ts'
import { forwarder, type ForwardOptions } from './forward.ts'
import { bodyOf, headerLines, send, textResponse } from './front.ts'
import { type ListeningServer, listenOn } from './listen.ts'
import { type Greet, takeSockets } from '../socket/serve/listen.ts'
import type { SeenSocketEvent } from '../socket/serve/seen.ts'
import { mockGreeting } from '../socket/serve/socket-mock.ts'
import { proxyGreeting } from '../socket/serve/socket-proxy.ts'

/** Options of a mock or proxy. @public */
export interface ServeOptions {
  /** A file, the name of a service of `@concord/specs`, or a document that is already loaded. */
  readonly spec: string | Spec
  /** Default 0: a free port. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /**
   * The AsyncAPI document of the same service. Its channels are served on the same port, in the same way as by
   * {@link serveSocketMock} or {@link serveSocketProxy}.
   */
  readonly sockets?: string | SocketSpec
  /** Called after every exchange. */
  readonly onExchange?: (seen: SeenExchange) => void
  /** Called for every handshake, frame and close on WebSockets. */
  readonly onEvent?: (seen: SeenSocketEvent) => void
  /**
   * The maximum size of a request or response body in bytes. Default 64 MiB. A longer request body results in a 413,
   * and a longer response body in a 502. All bodies in memory together may be four times as large; beyond that,
   * requests get a 503.
   */
  readonly maxBodyBytes?: number
  /**
   * The time limit for the upstream's response, in milliseconds. After it, a proxy responds with 502. Default 60,000.
   */
  readonly timeoutMs?: number
}

/** An exchange that a mock or proxy handled, without its content. @public */
export interface SeenExchange {
  /** Undefined if the contract has no operation for the request. */
  readonly operation?: string
  readonly method: string
  /** The contract's path template, or, for an unknown path, the requested path without the query. */
  readonly path: string
  readonly status: number
  readonly findings: readonly Finding[]
}

/** Options of {@link serveProxy}. @public */
export interface ProxyOptions extends ServeOptions {
  /** The URL of the service. It may have a path. */
  readonly upstream: string
  /** Records every exchange and every WebSocket, without secrets. */
  readonly recorder?: HarRecorder
}

/** Options of {@link serveMock}. @public */
export type MockOptions = ServeOptions

type Handler = (
  request: RecordedRequest,
  limits: Required<Pick<ForwardOptions, 'signal' | 'count'>>,
) => Promise<{ response: RecordedResponse; seen: SeenExchange }>

const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024
const DEFAULT_TIMEOUT_MS = 60_000

const undecodable: Finding = {
  code: 'response-body',
  at: 'response.headers.content-encoding',
  message: "the body can't be decoded, or is too long after decoding",
}

/**
 * Serves a mock of a contract. Its responses come only from the examples and schemas of the contract. The `Prefer`
 * header selects a response (`code=404`, `example=NAME`, `dynamic=true`). The header `x-concord-mock` of each response
 * says where its values come from.
 *
 * @throws ContractError if the contract can't be read, or the port is taken.
 * @public
 */
export async function serveMock(options: MockOptions): Promise<ListeningServer> {
  const spec = typeof options.spec === 'string' ? await loadSpec(options.spec) : options.spec
  const oracle = schemaOracle(spec)
  const handler: Handler = async (request) => {
    const { operation, response, findings } = mockResponse(spec, oracle, request)
    return { response, seen: seenExchange(spec, { operation, request, response, findings }) }
  }
  const { sockets, onEvent, ...rest } = options
  if (sockets === undefined) return listen(handler, rest)
  const greet = await mockGreeting({ spec: sockets, ...(onEvent && { onEvent }) })
  return listen(handler, rest, undefined, greet)
}

/**
 * Serves a proxy that forwards everything byte for byte, and checks both directions against the contract.
 *
 * @throws ContractError if the contract can't be read, the upstream isn't a valid URL, or the port is taken.
 * @public
 */
export async function serveProxy(options: ProxyOptions): Promise<ListeningServer> {
  const { upstream: baseUrl, recorder, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options
  const spec = typeof options.spec === 'string' ? await loadSpec(options.spec) : options.spec
  if (!/^https?:$/.test(URL.parse(options.upstream)?.protocol ?? '')) {
    throw invalidOptions("`upstream` isn't a valid URL.", 'Pass an http or https URL.')
  }
  const oracle = schemaOracle(spec)
  let lastDecoded: Promise<unknown> = Promise.resolve()
  const upstream = forwarder(options.upstream, { timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS })
  const handler: Handler = async (request, limits) => {
    const startedMs = Date.now()
    const ofRequest = judgeRequest(spec, oracle, request)
    const response = await upstream.send(request, limits)
    // Bodies are decoded one at a time, because many small bodies can decode to large ones.
    const decoding = lastDecoded.then(() => decodedResponse(response, maxBodyBytes))
    lastDecoded = decoding.catch(() => undefined)
    const decoded = await decoding
    if (decoded && decoded !== response) limits.count(decoded.body.length)
    const ofResponse = !ofRequest.operation
      ? { findings: [] }
      : decoded
        ? judgeResponse(ofRequest.operation, oracle, decoded)
        : { findings: [undecodable] }
    recorder?.exchange({
      request,
      response: decoded ?? response,
      baseUrl,
      operation: ofRequest.operation,
      requestMedia: ofRequest.media,
      responseMedia: ofResponse.media,
      startedMs,
      durationMs: Date.now() - startedMs,
    })
    const findings = [...ofRequest.findings, ...ofResponse.findings]
    return {
      response,
      seen: seenExchange(spec, { operation: ofRequest.operation, request, response, findings }),
    }
  }
  const { sockets, onEvent } = options
  if (sockets === undefined) return listen(handler, options, upstream.close)
  const channels = await proxyGreeting({
    spec: sockets,
    upstream: baseUrl,
    ...(recorder && { recorder }),
    ...(onEvent && { onEvent }),
  })
  const cleanUp = (): void => {
    channels.close()
    upstream.close()
  }
  return listen(handler, options, cleanUp, channels.greet)
}

interface Judged {
  readonly operation: Operation | undefined
  readonly request: RecordedRequest
  readonly response: RecordedResponse
  readonly findings: readonly Finding[]
}

/** Describes an exchange. The request's credentials are removed, even if the service repeats them. */
function seenExchange(
  { securitySchemes }: Pick<Spec, 'securitySchemes'>,
  { operation, request, response, findings }: Judged,
): SeenExchange {
  const hideCredentials = hiderOf(credentialsOf(securitySchemes, request))
  return {
    ...(operation ? { operation: operation.id } : {}),
    method: request.method,
    path: operation?.path ?? hideCredentials(request.target.split('?')[0] ?? ''),
    status: response.status,
    findings: withoutSecrets(findings, hideCredentials),
  }
}

async function listen(
  handler: Handler,
  { onExchange, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, ...where }: ServeOptions,
  cleanUp: () => void = () => undefined,
  greet: Greet = () => ({ status: 501, body: '' }),
): Promise<ListeningServer> {
  const bodies = new BodyLimit(maxBodyBytes)
  const server = createServer((incoming, outgoing) => {
    const held = bodies.open()
    const callerGone = new AbortController()
    outgoing.once('close', () => {
      callerGone.abort(new Error('the caller closed the connection'))
      held.release()
    })
    const handle = async (): Promise<void> => {
      const target = originForm(incoming.url ?? '/')
      if (target === undefined) return send(outgoing, textResponse(400, "The request target isn't a path."))
      const request = {
        method: incoming.method ?? 'GET',
        target,
        headers: headerLines(incoming.rawHeaders),
        body: await bodyOf(incoming, held.add),
      }
      const { response, seen } = await handler(request, { signal: callerGone.signal, count: held.add })
      onExchange?.(seen)
      send(outgoing, response)
    }
    handle().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'the exchange failed'
      // If the request is incomplete, its own body was too large. Otherwise, the upstream's response was.
      const status = error instanceof BodyTooLarge && !incoming.complete ? error.status : 502
      onExchange?.({
        method: incoming.method ?? '',
        path: (incoming.url ?? '').split('?')[0] ?? '',
        status,
        findings: [{ code: 'status', at: 'response', message: reason }],
      })
      if (outgoing.headersSent || outgoing.destroyed) return outgoing.destroy()
      // The rest of the body isn't read.
      if (!incoming.complete) outgoing.shouldKeepAlive = false
      return send(outgoing, textResponse(status, reason))
    })
  })
  // An ordinary response to an upgrade would look like the service's denial.
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
 * Returns the path and query of a request target. A target may be an absolute URL (RFC 9112, section 3.2.2). Its origin
 * is ignored, so a request can't choose the upstream.
 */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target
  const url = URL.parse(target)
  return url !== null && /^https?:$/.test(url.protocol) ? `${url.pathname}${url.search}` : undefined
}
