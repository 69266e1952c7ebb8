import { bounded, load } from '../core/async.ts'
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

/** Sends a request of an authorized `fetch`. */
export async function sendAuthorized(
  core: ClientCore,
  options: AuthorizedFetchOptions & { readonly origins: ReadonlySet<string> },
  input: string | URL,
  init: RequestInit,
): Promise<Response> {
  const url = toUrl(input, options.base, options.origins)
  const request = new Request(url, { ...init, body: null, method: init.method ?? 'GET' })
  const { body, replayable, contentType } = await toBody(init.body)
  const headers = toHeaderList(request.headers, options.credentialHeaders)
  if (contentType !== undefined && !hasHeader(headers, 'content-type'))
    setHeader(headers, 'content-type', contentType)
  if (!hasHeader(headers, 'accept-encoding'))
    setHeader(headers, 'accept-encoding', hasHeader(headers, 'range') ? PLAIN : COMPRESSED)

  for (let renewed = false; ; renewed = true) {
    const attempt = renewed ? 2 : 1
    const toSend = { url, method: request.method, headers, body, attempt }
    const sent = await send(core, toSend, options.credential, init.signal)
    if (sent.response.status !== 401 || renewed || !replayable) return sent.toResponse()
    const bounds = {
      signals: signalsOf(core, init.signal),
      limit: credentialLimit(core.clock, `${request.method} ${url.origin}`, core.timeoutMs),
    }
    const again = await renewCredentials([options.credential], [sent.value], bounds).catch(
      (error: unknown) => {
        sent.discard()
        throw error
      },
    )
    if (!again) return sent.toResponse()
    sent.discard()
  }
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
    'is not an address of the service, and the credential is only sent to the service. Nothing was sent.',
    'Pass a path that begins with /, or a URL under a base URL of the client; for other URLs, use the regular `fetch`.',
  )
}

function toHeaderList(headers: Headers, credentialHeaders: readonly string[]): string[] {
  const list: string[] = []
  headers.forEach((value, name) => {
    if (credentialHeaders.includes(name)) {
      throw new OptionsError(
        `headers.${name}`,
        `The session sets the header \`${name}\` itself. Nothing was sent.`,
        'Omit it; to send another credential, use the regular `fetch`.',
      )
    }
    if (headerProblem(name, value) === undefined) list.push(name, value)
  })
  return list
}

interface ToSend {
  readonly body: TransportBody | undefined
  /** Whether the body can be sent a second time. */
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
  // The platform encodes forms and strings.
  const written = new Response(body)
  return {
    body: new Uint8Array(await written.arrayBuffer()),
    replayable: true,
    contentType: written.headers.get('content-type') ?? undefined,
  }
}

interface Sent {
  readonly response: TransportResponse
  /** The credential that was sent. */
  readonly value: string
  toResponse(): Response
  discard(): void
}

async function send(
  core: ClientCore,
  request: {
    readonly url: URL
    readonly method: string
    readonly headers: readonly string[]
    readonly body: TransportBody | undefined
    /** The number of this attempt, from 1. */
    readonly attempt: number
  },
  credential: Credential,
  signal: AbortSignal | null | undefined,
): Promise<Sent> {
  const signals = signalsOf(core, signal)
  for (const each of signals) each.throwIfAborted()
  if (!isReady(core)) await bounded(makeReady(core, 'fetch'), { signals })
  const { url, method, body } = request
  const beganMs = core.clock.monotonic()
  const value = checkCredentialValue(
    credential,
    typeof credential.value === 'string'
      ? credential.value
      : // The token may have to be refreshed first. The time limit ends this wait, but not the refresh.
        await bounded(Promise.resolve(credential.value()), {
          signals,
          limit: credentialLimit(core.clock, `${method} ${url.origin}`, core.timeoutMs),
        }),
    'credentials',
  )
  const { path, headers } = withCredentials(
    { path: url.pathname + url.search, headers: request.headers },
    [credential],
    [value],
  )
  const attempt = new Attempt()
  const limits = { core, attempt, operation: `${method} ${url.origin}`, timeoutMs: core.timeoutMs }
  attempt.follow(signals)
  const trace = (response: TransportResponse | undefined, failure: unknown): void => {
    const operation = { id: 'fetch', method, path: '*' }
    traceAttempt(core, { operation, sends: request.attempt, attemptBeganMs: beganMs }, response, failure)
  }
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
    if (isEncoded(response)) response = await withoutContentCoding(response, attempt, undefined)
    core.limits.remove(attempt)
    trace(response, undefined)
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
    trace(undefined, failure)
    throw failure
  }
}

/** Wraps a body so that the time limit starts again with each chunk that is sent, as for uploads. */
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

function signalsOf(core: ClientCore, signal: AbortSignal | null | undefined): readonly AbortSignal[] {
  return [signal, core.signal].filter((each) => each !== null && each !== undefined)
}
