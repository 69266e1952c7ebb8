import { bounded, load, throwIfAborted, type TimeLimit } from '../core/async.ts'
import { OptionsError } from '../core/errors.ts'
import { Attempt, release, restartSilenceLimit } from '../http/attempt.ts'
import { isBlob, isStream } from '../http/binary.ts'
import { isReady, loadedFailures, makeReady } from '../http/call.ts'
import { parseBaseUrl } from '../http/client-state.ts'
import type { ClientCore } from '../http/client-state.ts'
import {
  checkCredentialValue,
  type Credential,
  credentialLimit,
  renewCredentials,
  withCredentials,
} from '../http/credential.ts'
import { COMPRESSED, withoutContentCoding, isEncoded, PLAIN } from '../http/decode.ts'
import { hasHeader, headerProblem, setHeader } from '../http/headers.ts'
import { traceAttempt } from '../http/observe.ts'
import { type BodyLimits, bodyStream, discard } from '../http/stream.ts'
import { toHeaders, type TransportBody, type TransportResponse } from '../http/transport.ts'
import type { AuthorizedFetchOptions } from './authorized-fetch.ts'

export async function sendAuthorized(
  core: ClientCore,
  options: AuthorizedFetchOptions & { readonly origins: ReadonlySet<string> },
  input: string | URL,
  init: RequestInit,
): Promise<Response> {
  const { credential } = options
  const url = toUrl(input, options.base, options.origins)
  const { method, headers: given } = new Request(url, { ...init, body: null, method: init.method ?? 'GET' })
  const { body, replayable, contentType } = await toBody(init.body)
  const headers = toHeaderList(given, options.credentialHeaders)
  if (contentType !== undefined && !hasHeader(headers, 'content-type'))
    setHeader(headers, 'content-type', contentType)
  if (!hasHeader(headers, 'accept-encoding'))
    setHeader(headers, 'accept-encoding', hasHeader(headers, 'range') ? PLAIN : COMPRESSED)
  const operation = `${method} ${url.origin}`
  const bounds = {
    signals: [init.signal ?? undefined, core.signal].filter((signal) => signal !== undefined),
    // Time limit for reading or renewing the credential. At the limit, the wait ends, but a running refresh continues.
    limit: credentialLimit(core.clock, operation, core.timeoutMs),
  }
  const request: AuthorizedRequest = { url, method, headers, body, operation, credential, bounds }

  const sent = await send(core, request, 1)
  if (sent.response.status !== 401 || !replayable) return sent.toResponse()
  const renewing = renewCredentials([credential], [sent.value], bounds)
  const isRenewed = await renewing.catch((error: unknown) => {
    sent.discard()
    throw error
  })
  if (!isRenewed) return sent.toResponse()
  sent.discard()
  return (await send(core, request, 2)).toResponse()
}

function toUrl(input: string | URL, base: string, origins: ReadonlySet<string>): URL {
  if (typeof input === 'string' && input.startsWith('/') && !input.startsWith('//')) {
    const { origin, prefix } = parseBaseUrl(base, 'base')
    const url = new URL(origin + prefix + input)
    if (!`${url.pathname}/`.startsWith(`${prefix}/`)) throw elsewhere()
    return url
  }
  const url = URL.parse(String(input))
  if (url === null || !origins.has(url.origin) || url.username !== '' || url.password !== '')
    throw elsewhere()
  return url
}

function elsewhere(): OptionsError {
  return new OptionsError(
    'input',
    'is not a URL of the service. The credential is sent only to the service, so nothing was sent.',
    'Pass a path that begins with one `/` and contains no `..`, or a URL under a base URL of the client. For other URLs, use the regular `fetch`.',
  )
}

function toHeaderList(headers: Headers, credentialHeaders: readonly string[]): string[] {
  const list: string[] = []
  headers.forEach((value, name) => {
    if (credentialHeaders.includes(name)) {
      throw new OptionsError(
        `headers.${name}`,
        `The session sets the header \`${name}\` itself. Nothing was sent.`,
        'Omit the header. To send another credential, use the regular `fetch`.',
      )
    }
    if (headerProblem(name, value) === undefined) list.push(name, value)
  })
  return list
}

interface ToSend {
  readonly body: TransportBody | undefined
  readonly replayable: boolean
  readonly contentType?: string | undefined
}

async function toBody(body: BodyInit | null | undefined): Promise<ToSend> {
  if (body === undefined || body === null) return { body: undefined, replayable: true }
  // The code that reads streams and Blobs is loaded on demand, because few requests need it.
  if (isStream(body)) {
    const { iterate, readStream } = await load(import('../http/upload-source.ts'))
    return { body: { sizeBytes: undefined, open: () => iterate(readStream(body)) }, replayable: false }
  }
  if (isBlob(body)) {
    const { iterate, readBlobPieces } = await load(import('../http/upload-source.ts'))
    return {
      body: { sizeBytes: body.size, open: () => iterate(readBlobPieces(body)) },
      replayable: true,
      contentType: body.type === '' ? undefined : body.type,
    }
  }
  // The global `Response` encodes forms and strings.
  const written = new Response(body)
  return {
    body: new Uint8Array(await written.arrayBuffer()),
    replayable: true,
    contentType: written.headers.get('content-type') ?? undefined,
  }
}

interface AuthorizedRequest {
  readonly url: URL
  readonly method: string
  readonly headers: readonly string[]
  readonly body: TransportBody | undefined
  /** The method and the origin, for errors. */
  readonly operation: string
  readonly credential: Credential
  readonly bounds: { readonly signals: readonly AbortSignal[]; readonly limit: TimeLimit }
}

interface Sent {
  readonly response: TransportResponse
  /** The credential that was sent. */
  readonly value: string
  toResponse(): Response
  discard(): void
}

async function send(core: ClientCore, request: AuthorizedRequest, sends: number): Promise<Sent> {
  const { url, method, body, operation, credential, bounds } = request
  throwIfAborted(bounds.signals)
  if (!isReady(core)) await bounded(makeReady(core, 'fetch'), { signals: bounds.signals })
  const beganMs = core.clock.monotonic()
  const value = checkCredentialValue(
    credential,
    typeof credential.value === 'string'
      ? credential.value
      : await bounded(Promise.resolve(credential.value()), bounds),
    'credentials',
  )
  const { path, headers } = withCredentials(
    { path: url.pathname + url.search, headers: request.headers },
    [credential],
    [value],
  )
  const attempt = new Attempt()
  const limits = { core, attempt, operation, timeoutMs: core.timeoutMs }
  attempt.follow(bounds.signals)
  const traced = { operation: { id: 'fetch', method, path: '*' }, sends, attemptBeganMs: beganMs }
  core.limits.add(attempt, core.timeoutMs, beganMs)
  try {
    if (attempt.cancelled) throw attempt.reason
    let response = await core.transport!.send({
      method,
      origin: url.origin,
      path,
      headers,
      body: watched(limits, body),
      responseBody: 'stream',
      maxResponseBytes: Infinity,
      control: attempt,
    })
    if (isEncoded(response)) response = await withoutContentCoding(response, attempt)
    core.limits.remove(attempt)
    traceAttempt(core, traced, response, undefined)
    return {
      response,
      value,
      toResponse() {
        const { status } = response
        const empty = method === 'HEAD' || [204, 205, 304].includes(status)
        if (empty) release(core, attempt)
        return new Response(empty ? null : bodyStream(response, limits), {
          status,
          headers: toHeaders(response.headers),
        })
      },
      discard: () => discard(limits),
    }
  } catch (error) {
    release(core, attempt)
    const failure = loadedFailures().bodyFailure(error, { ...limits, beganMs })
    traceAttempt(core, traced, undefined, failure)
    throw failure
  }
}

/** Wraps a body so that the time limit restarts with each chunk that is sent. */
function watched(
  { core, attempt, timeoutMs }: BodyLimits,
  body: TransportBody | undefined,
): TransportBody | undefined {
  if (typeof body !== 'object' || body instanceof Uint8Array) return body
  return {
    sizeBytes: body.sizeBytes,
    async *open() {
      for await (const chunk of body.open()) {
        yield chunk
        restartSilenceLimit(core, attempt, { sinceMs: core.clock.monotonic(), limitMs: timeoutMs })
      }
    },
  }
}
