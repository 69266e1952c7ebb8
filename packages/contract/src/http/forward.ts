import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { ContractError } from '@concord/spec-model'

import { BodyTooLarge } from './body-limit.ts'
import type { HeaderLine, RecordedResponse, RecordedRequest } from './exchange.ts'
import { bodyOf, headerLines } from './front.ts'

const dropped = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'expect'])

export interface ForwardOptions {
  /** Headers to add. They replace the request's headers of the same name. */
  readonly extraHeaders?: readonly HeaderLine[]
  /** Aborts the exchange, for example because the caller has disconnected. */
  readonly signal?: AbortSignal
  /**
   * Called before the response body is read. Returns a function that is then called with the length of each chunk. If
   * that function throws, the exchange ends.
   */
  readonly startCount?: () => (bytes: number) => void
}

/** Forwards requests to another server, byte for byte. */
export interface Forwarder {
  send(request: RecordedRequest, options?: ForwardOptions): Promise<RecordedResponse>
  close(): void
}

export function forwarder(upstream: string, options: { readonly timeoutMs?: number } = {}): Forwarder {
  const base = new URL(upstream)
  const basePath = base.pathname.replace(/\/$/, '')
  const secure = base.protocol === 'https:'
  // Connections aren't reused: the server could close an idle connection just as an exchange starts.
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: false })
  return {
    close: () => agent.destroy(),
    send: (request, { extraHeaders = [], signal, startCount } = {}) =>
      new Promise<RecordedResponse>((resolve, reject) => {
        const fail = (cause: Error): void =>
          reject(
            cause instanceof BodyTooLarge ? cause : unreachable(base.origin, cause, { ...options, signal }),
          )
        const replaced = new Set(extraHeaders.map(([name]) => name.toLowerCase()))
        const headers = request.headers.filter(
          ([name]) => !dropped.has(name.toLowerCase()) && !replaced.has(name.toLowerCase()),
        )
        const hasBody = request.body.length > 0 || !['GET', 'HEAD', 'DELETE'].includes(request.method)
        const outgoing = (secure ? httpsRequest : httpRequest)(
          {
            hostname: base.hostname.replace(/^\[|\]$/g, ''),
            port: base.port || (secure ? 443 : 80),
            method: request.method,
            path: basePath + request.target,
            headers: [
              'host',
              base.host,
              ...headers.flat(),
              ...extraHeaders.flat(),
              ...(hasBody ? ['content-length', String(request.body.length)] : []),
            ],
            agent,
            ...limits(options.timeoutMs, signal),
          },
          (incoming) => {
            bodyOf(incoming, startCount?.()).then(
              (body) =>
                resolve({
                  status: incoming.statusCode ?? 0,
                  headers: headerLines(incoming.rawHeaders),
                  body,
                }),
              fail,
            )
          },
        )
        outgoing.on('error', fail)
        outgoing.end(request.body)
      }),
  }
}

function limits(timeoutMs: number | undefined, signal: AbortSignal | undefined): { signal?: AbortSignal } {
  const signals = [
    ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]),
    ...(signal === undefined ? [] : [signal]),
  ]
  return signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }
}

function unreachable(
  origin: string,
  cause: Error,
  { timeoutMs, signal }: { readonly timeoutMs?: number; readonly signal?: AbortSignal | undefined },
): ContractError {
  if (signal?.aborted === true)
    return new ContractError(
      'unreachable',
      `The caller closed the connection before ${origin} responded.`,
      "Check the caller's time limit.",
      { cause },
    )
  const reason = cause.message || (cause as NodeJS.ErrnoException).code
  return new ContractError(
    'unreachable',
    cause.name === 'AbortError'
      ? `${origin} did not send a complete response within ${timeoutMs} ms.`
      : `${origin} could not be reached: ${reason}.`,
    cause.name === 'AbortError'
      ? 'Make sure that the service is running, or increase the time limit.'
      : 'Check the URL, and make sure that the service is running.',
    { cause },
  )
}
