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
import { type Finding, finding, type RecordedRequest, type RecordedResponse } from './exchange.ts'
import { mockResponse } from './contract-mock.ts'
import { decodedResponse } from './decode.ts'
import { forwarder } from './forward.ts'
import type { ListeningServer } from './listen.ts'
import { DEFAULT_MAX_BODY_BYTES, type Handler, type SeenExchange, serveRequests } from './serve-requests.ts'
import type { SeenSocketEvent } from '../socket/serve/seen.ts'
import { mockGreeting } from '../socket/serve/socket-mock.ts'
import { proxyGreeting } from '../socket/serve/socket-proxy.ts'

/** Options of a mock or proxy. @public */
export interface ServeOptions {
  /** The path of an OpenAPI file, the name of a service in `@concord/specs`, or a document that is already loaded. */
  readonly spec: string | Spec
  /** Default 0: a free port. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /**
   * The AsyncAPI document of the same service. Its channels are served on the same port, as
   * {@link serveSocketMock} or {@link serveSocketProxy} would serve them.
   */
  readonly sockets?: string | SocketSpec
  /** Called for every exchange, before the response is sent. */
  readonly onExchange?: (seen: SeenExchange) => void
  /** Called for every handshake and frame of a WebSocket, and when it closes. */
  readonly onEvent?: (seen: SeenSocketEvent) => void
  /**
   * The maximum size of a request or response body in bytes. Default 64 MiB. A longer request body results in a 413,
   * and a longer response body in a 502. All bodies in memory together are limited to four times this size. A
   * request body that exceeds this total results in a 503, and a response body that exceeds it in a 502.
   */
  readonly maxBodyBytes?: number
  /**
   * The time limit for the upstream's response, in milliseconds. After this time, a proxy responds with 502. Default
   * 60,000.
   */
  readonly timeoutMs?: number
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

const DEFAULT_TIMEOUT_MS = 60_000

const undecodable: Finding = finding(
  'response-body',
  'response.headers.content-encoding',
  "the body can't be decoded, or is too long after decoding",
)

/**
 * Serves a mock of a contract. Its responses come only from the examples and schemas of the contract. The `Prefer`
 * header selects a response (`code=404`, `example=NAME`, `dynamic=true`). The header `x-concord-mock` of each
 * response says where the response's values come from.
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
  const { sockets, onEvent } = options
  const { securitySchemes } = spec
  if (sockets === undefined) return serveRequests({ ...options, handler, securitySchemes })
  const greet = await mockGreeting({ spec: sockets, ...(onEvent && { onEvent }) })
  return serveRequests({ ...options, handler, securitySchemes, greet })
}

/**
 * Serves a proxy that forwards everything byte for byte, and checks requests and responses against the contract.
 *
 * @throws ContractError if the contract can't be read, `upstream` isn't an http or https URL, or the port is taken.
 * @public
 */
export async function serveProxy(options: ProxyOptions): Promise<ListeningServer> {
  const { upstream: baseUrl, recorder, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options
  const spec = typeof options.spec === 'string' ? await loadSpec(options.spec) : options.spec
  if (!/^https?:$/.test(URL.parse(options.upstream)?.protocol ?? '')) {
    throw invalidOptions(
      "`upstream` isn't an http or https URL.",
      'Pass the URL of the service, with `http://` or `https://`.',
    )
  }
  const oracle = schemaOracle(spec)
  let lastDecoded: Promise<unknown> = Promise.resolve()
  const upstream = forwarder(options.upstream, { timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS })
  const handler: Handler = async (request, limits) => {
    const startedMs = Date.now()
    const ofRequest = judgeRequest(spec, oracle, request)
    const response = await upstream.send(request, limits)
    // Bodies are decoded one at a time to limit memory, because a small body can decode to a large one.
    const decoding = lastDecoded.then(() => decodedResponse(response, maxBodyBytes))
    lastDecoded = decoding.catch(() => undefined)
    const decoded = await decoding
    if (decoded && decoded !== response) limits.startCount()(decoded.body.length)
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
  const { securitySchemes } = spec
  if (sockets === undefined)
    return serveRequests({ ...options, handler, securitySchemes, cleanUp: upstream.close })
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
  return serveRequests({ ...options, handler, securitySchemes, cleanUp, greet: channels.greet })
}

interface Judged {
  readonly operation: Operation | undefined
  readonly request: RecordedRequest
  readonly response: RecordedResponse
  readonly findings: readonly Finding[]
}

/** The result contains none of the request's credentials, even if the service repeats them in its response. */
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
