import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

import { ContractError } from '../errors.ts'
import type { HeaderLine, RecordedAnswer, RecordedRequest } from './exchange.ts'
import { bodyOf, headerLines } from './front.ts'

const dropped = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'expect'])

/** Sends requests on to another server, byte for byte. */
export interface Forwarder {
  send(request: RecordedRequest, extraHeaders?: readonly HeaderLine[]): Promise<RecordedAnswer>
  close(): void
}

/**
 * Makes a forwarder to a base address. The path and query go on exactly as they came, after the base path; bodies
 * are never decoded.
 */
export function forwarder(upstream: string, options: { readonly timeoutMs?: number } = {}): Forwarder {
  const base = new URL(upstream)
  const basePath = base.pathname.replace(/\/$/, '')
  const secure = base.protocol === 'https:'
  // A connection is used once: a server that closes idle connections would otherwise fail an exchange.
  const agent = secure ? undefined : new Agent({ keepAlive: false })
  return {
    close: () => agent?.destroy(),
    send: (request, extraHeaders = []) =>
      new Promise<RecordedAnswer>((resolve, reject) => {
        const fail = (cause: Error): void => reject(unreachable(base.origin, cause, options.timeoutMs))
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
            ...(agent ? { agent } : {}),
            ...(options.timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(options.timeoutMs) }),
          },
          (incoming) => {
            bodyOf(incoming).then(
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

function unreachable(origin: string, cause: Error, timeoutMs: number | undefined): ContractError {
  const reason = cause.message || (cause as NodeJS.ErrnoException).code
  return new ContractError(
    'unreachable',
    cause.name === 'AbortError'
      ? `${origin} gave no whole answer within ${timeoutMs} ms.`
      : `${origin} could not be reached: ${reason}.`,
    'Check the address and that the service is running.',
    { cause },
  )
}
