import { bounded, throwIfAborted } from '../core/async.ts'
import {
  ApiError,
  ConnectionError,
  DeadlineError,
  DownloadError,
  type DownloadFailure,
  OptionsError,
  ServerError,
  TimeoutError,
  UnexpectedContentError,
} from '../core/errors.ts'
import { parseDuration } from '../core/option-checks.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import { isTransient, isTransientStatus, type Retried, retry } from '../retry/retry.ts'
import { Attempt, release } from './attempt.ts'
import { ByteQueue, withoutBody } from './buffered-response.ts'
import { isReady, loadedFailures, makeReady } from './call.ts'
import { coreRetry } from './client-retry.ts'
import type { ClientCore } from './client-state.ts'
import { withoutContentCoding, isEncoded, PLAIN } from './decode.ts'
import type {
  Content,
  Downloaded,
  DownloadIntoOptions,
  DownloadTarget,
  StreamedDownload,
} from './download.ts'
import { discard, limitedBody } from './stream.ts'
import { headerValue, type RawHeaders } from './transport.ts'

/** A connection makes progress if it delivers at least this many bytes. */
const PROGRESS_BYTES = 16_384

/** One download, over as many connections as necessary. */
export class Download {
  readonly #core: ClientCore
  readonly #url: string
  readonly #target: DownloadTarget
  readonly #options: Partial<DownloadIntoOptions>
  #content: Content | undefined = undefined
  #bytesReceived = 0
  /** The error that a callback or the target threw. */
  #ofCaller: { readonly error: unknown } | undefined = undefined

  constructor(core: ClientCore, url: string, target: DownloadTarget, options: Partial<DownloadIntoOptions>) {
    this.#core = core
    this.#url = url
    this.#target = target
    this.#options = options
  }

  async run(): Promise<Downloaded> {
    const { clock, budget } = this.#core
    const { deadline, signal } = this.#options
    const limitMs = deadline === undefined ? Infinity : parseDuration(deadline)
    const beganMs = clock.monotonic()
    const signals = [this.#core.signal, signal, this.#core.closing.signal].filter(
      (each) => each !== undefined,
    )
    budget.deposit()
    if (limitMs === Infinity) return this.#attempts(signals, Infinity)
    // A `Promise.race` could reject while a write is still running, so the timer aborts a signal instead.
    const over = new AbortController()
    const timer = clock.setTimer(() => {
      const elapsedMs = clock.monotonic() - beganMs
      over.abort(
        new DeadlineError(`The download was not completed within ${limitMs} ms.`, { limitMs, elapsedMs }),
      )
    }, limitMs)
    try {
      return await this.#attempts([...signals, over.signal], beganMs + limitMs)
    } finally {
      timer.cancel()
    }
  }

  #attempts(signals: readonly AbortSignal[], endsAtMs: number): Promise<Downloaded> {
    let before = 0
    const job: Retried<Downloaded> = {
      ...coreRetry(this.#core, 'download'),
      signals,
      endsAtMs,
      attempt: async () => {
        before = this.#bytesReceived
        await this.#receive(signals)
        return this.#finish()
      },
      again: (error) => {
        // Progress resets the retry count, because a long download may be interrupted often. If a few bytes counted
        // as progress, a download might never end.
        if (this.#bytesReceived >= before + PROGRESS_BYTES) job.failures = 1
        return error !== this.#ofCaller?.error && isTransient(error, 'download')
      },
      lastError: (error) => this.#explain(error),
    }
    return retry(job)
  }

  async #receive(signals: readonly AbortSignal[]): Promise<void> {
    const opened = await openUrl(this.#core, this.#url, {
      headers: this.#resumeHeaders(),
      signals,
      timeoutMs: this.#options.timeoutMs,
    })
    const goesOn = this.#content !== undefined && continues(opened, this.#content, this.#bytesReceived)
    if (!goesOn && opened.status !== 200) {
      // A 206 or 416 here means that the content on the server has changed, so the next attempt starts over.
      if (opened.status === 206 || opened.status === 416) this.#content = undefined
      throw await this.#denied(opened)
    }
    if (!goesOn) {
      await this.#start(contentOf(opened)).catch((error: unknown) => {
        opened.discard()
        throw error
      })
    }
    const { maxBytes } = this.#options
    const { totalBytes, exact = false } = this.#content ?? {}
    if (maxBytes !== undefined && (totalBytes ?? 0) > maxBytes) {
      opened.discard()
      throw this.#failed(
        'too-large',
        `the content has ${totalBytes} bytes, more than \`maxBytes\` (${maxBytes})`,
      )
    }
    for await (const chunk of opened.body) {
      if (maxBytes !== undefined && this.#bytesReceived + chunk.length > maxBytes) {
        throw this.#failed('too-large', `the content has more bytes than \`maxBytes\` (${maxBytes})`)
      }
      await this.#callCaller(async () => {
        await this.#target.write(chunk)
        this.#bytesReceived += chunk.length
        const bytesReceived = this.#bytesReceived
        this.#options.onProgress?.(
          totalBytes === undefined ? { bytesReceived } : { bytesReceived, totalBytes },
        )
      })
    }
    if (exact && totalBytes !== undefined && this.#bytesReceived < totalBytes) {
      throw new ConnectionError('The response body ended early.', { phase: 'receive', sent: 'yes' })
    }
  }

  /** Called for the first response, and again if the server can't resume or the content has changed. */
  async #start(content: Content): Promise<void> {
    const { contentType } = content
    const isAccepted = await this.#callCaller(() => this.#options.accepts?.(contentType))
    if (isAccepted === false) throw unexpected(contentType)
    this.#content = content
    await this.#callCaller(() => this.#target.restart(content, this.#options.nameBy?.(contentType)))
    this.#bytesReceived = 0
  }

  /**
   * Any error from the caller's callbacks or the target's methods ends the download, even if the error looks like a
   * lost connection.
   */
  async #callCaller<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.#ofCaller = { error }
      throw error
    }
  }

  #resumeHeaders(): Readonly<Record<string, string>> {
    const validator = this.#content?.validator
    if (validator === undefined || this.#bytesReceived === 0) return {}
    return { range: `bytes=${this.#bytesReceived}-`, 'if-range': validator }
  }

  async #finish(): Promise<Downloaded> {
    const { totalBytes, exact = false, contentType } = this.#content ?? {}
    if (exact && totalBytes !== undefined && totalBytes !== this.#bytesReceived) {
      throw this.#failed(
        'checksum',
        `the content has ${this.#bytesReceived} bytes, but the server announced ${totalBytes}`,
      )
    }
    const { sha256 } = this.#options
    if (sha256 !== undefined && (await this.#target.sha256?.()) !== sha256.toLowerCase()) {
      throw this.#failed('checksum', 'the content does not have the expected SHA-256')
    }
    const path = (await this.#target.finish?.()) ?? ''
    const done = { path, sizeBytes: this.#bytesReceived }
    return contentType === undefined ? done : { ...done, contentType }
  }

  async #denied(opened: OpenedUrl): Promise<unknown> {
    const { status, headers } = opened
    const [failure, reason] = (await denialOf(opened)) ?? []
    opened.discard()
    if (failure !== undefined)
      return this.#failed(failure, `${reason} (${status}). Get a new link, if the service issues one`, status)
    const [response] = withoutBody(opened)
    const errorResponse = {
      ...response,
      retryAfterMs: parseRetryAfter(
        headerValue(headers, 'retry-after'),
        headerValue(headers, 'date'),
        this.#core.clock.now(),
      ),
    }
    const text = `download: the server returned ${status} instead of the content.`
    return status >= 500 ? new ServerError(text, errorResponse) : new ApiError(text, errorResponse)
  }

  #failed(failure: DownloadFailure, reason: string, status?: number): DownloadError {
    return new DownloadError(`The download failed: ${reason}.`, {
      failure,
      bytesSoFar: this.#bytesReceived,
      status,
    })
  }

  #explain(error: unknown): unknown {
    if (!ConnectionError.is(error) && !TimeoutError.is(error)) return error
    if (this.#bytesReceived === 0 || error === this.#ofCaller?.error) return error
    return new DownloadError(
      `The download was interrupted after ${this.#bytesReceived} bytes, and could not be resumed.`,
      { failure: 'interrupted', bytesSoFar: this.#bytesReceived },
      { cause: error },
    )
  }
}

function unexpected(contentType = ''): UnexpectedContentError {
  const type = contentType === '' ? 'no media type' : `media type ${contentType}`
  return new UnexpectedContentError(
    `download: the server returned 200, but the response is not the requested content (${type}). It may come from a proxy or a ` +
      'sign-in page. Check the network, and download again.',
    { status: 200, body: undefined, text: '', headers: () => new Headers() },
    { contentType, excerpt: '' },
    { operation: 'download' },
  )
}

/** The minimum age of a reliable `last-modified` date. It allows for small differences between server clocks. */
const CLOCK_DOUBT_MS = 60_000
const DENIAL_BYTES = 4_096

export function contentOf({ headers, encoded }: OpenedUrl): Content {
  const length = headerValue(headers, 'content-length')
  return {
    // The length of a compressed body isn't the length of its content.
    totalBytes:
      length === undefined || encoded === 'yes' || !/^\d+$/.test(length) ? undefined : Number(length),
    exact: encoded === 'no',
    contentType: headerValue(headers, 'content-type'),
    // A compressed download can't be resumed, because a range would apply to the compressed bytes.
    validator: encoded === 'yes' ? undefined : strongValidator(headers),
  }
}

/**
 * Returns a strong entity tag, if any. Otherwise returns the `last-modified` date, if it is at least a minute older
 * than the response. A newer date isn't reliable, because the content can change again within the same second
 * (RFC 9110, section 8.8.2.2).
 */
function strongValidator(headers: RawHeaders): string | undefined {
  const etag = headerValue(headers, 'etag')
  if (etag !== undefined && !etag.startsWith('W/')) return etag
  const modified = headerValue(headers, 'last-modified')
  const ageMs = Date.parse(headerValue(headers, 'date') ?? '') - Date.parse(modified ?? '')
  return ageMs >= CLOCK_DOUBT_MS ? modified : undefined
}

/**
 * Returns whether a partial response continues the content at `fromByte` (RFC 9110, section 15.3.7). The response
 * must have a single range, and must not contradict the validator or the total length of the content.
 */
export function continues(
  { status, headers, encoded }: OpenedUrl,
  { validator, totalBytes, exact }: Content,
  fromByte: number,
): boolean {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/i.exec(headerValue(headers, 'content-range') ?? '')
  if (status !== 206 || encoded === 'yes' || range === null || Number(range[1]) !== fromByte) return false
  if (exact && totalBytes !== undefined && range[2] !== '*' && Number(range[2]) !== totalBytes) return false
  // A partial response must repeat the entity tag, but may omit the `last-modified` date.
  return validator?.startsWith('"') === true
    ? headerValue(headers, 'etag') === validator
    : (headerValue(headers, 'last-modified') ?? validator) === validator
}

/** Returns why a link doesn't work; `undefined` if the failure isn't about the link. */
export async function denialOf({
  status,
  body,
}: OpenedUrl): Promise<readonly [failure: DownloadFailure, reason: string] | undefined> {
  if (status < 400 || status >= 500 || isTransientStatus(status, 'download')) return undefined
  if (status === 410 || (await saysExpired(body))) return ['expired', 'the link has expired']
  if (status === 404) return ['missing', 'the content at this link does not exist or was removed']
  return status === 401 || status === 403
    ? ['denied', 'the server denied access to this link, which may have expired']
    : undefined
}

/** Searches the body, because services usually report an expired link with a status that has other meanings too. */
async function saysExpired(body: AsyncIterable<Uint8Array>): Promise<boolean> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const piece of body) {
      text += decoder.decode(piece)
      if (text.length >= DENIAL_BYTES) break
    }
  } catch {
    // The part that arrived is enough.
  }
  return /expire/i.test(text.slice(0, DENIAL_BYTES))
}

interface OpenUrlOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signals: readonly AbortSignal[]
  /** How long to wait for the headers, and then for each piece of the body, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

/** The response from an opened URL. Its body must be read or discarded. */
export interface OpenedUrl {
  readonly status: number
  readonly headers: RawHeaders
  /** Whether the body had a content coding in transit. If so, `content-length` and ranges don't apply to `body`. */
  readonly encoded: 'yes' | 'no' | 'unknown'
  /** The decoded body, as it arrives. */
  readonly body: AsyncGenerator<Uint8Array>
  /** Ends the connection without reading the body. */
  discard(): void
}

const MAX_REDIRECTS = 5

/**
 * Sends a GET request to a URL from a response. Sends no credential, because such a URL grants access by itself and
 * may lead to any server. Follows redirects, but never from https to http.
 */
async function openUrl(core: ClientCore, url: string, options: OpenUrlOptions): Promise<OpenedUrl> {
  let target = parse(url)
  for (let redirects = 0; ; redirects++) {
    const opened = await openOnce(core, target, options)
    const { status, headers } = opened
    const location = status >= 300 && status < 400 ? headerValue(headers, 'location') : undefined
    if (location === undefined) return opened
    const next = URL.parse(location, target)
    // After too many redirects, or if a redirect leaves https, the redirect itself is returned.
    if (next === null || redirects === MAX_REDIRECTS || !isAllowed(target, next)) return opened
    opened.discard()
    target = next
  }
}

function parse(url: string): URL {
  const parsed = URL.parse(url)
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return parsed
  throw new OptionsError(
    'url',
    'is not an absolute http or https URL.',
    'Pass the URL exactly as the service returned it.',
  )
}

function isAllowed(from: URL, to: URL): boolean {
  return to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:')
}

async function openOnce(core: ClientCore, url: URL, options: OpenUrlOptions): Promise<OpenedUrl> {
  throwIfAborted(options.signals)
  if (!isReady(core)) await bounded(makeReady(core, 'download'), { signals: options.signals })
  const timeoutMs = options.timeoutMs ?? core.timeoutMs
  const attempt = new Attempt()
  const limits = { core, attempt, operation: `GET ${url.origin}`, timeoutMs, firstRead: true }
  const beganMs = core.clock.monotonic()
  attempt.follow(options.signals)
  core.limits.add(attempt, timeoutMs, beganMs)
  try {
    const extra = Object.entries(options.headers ?? {}).flat()
    let response = await core.transport!.send({
      method: 'GET',
      origin: url.origin,
      path: url.pathname + url.search,
      headers: ['accept', '*/*', 'accept-encoding', PLAIN, ...extra],
      body: undefined,
      responseBody: 'stream',
      maxResponseBytes: Infinity,
      control: attempt,
    })
    const { 'content-encoding': coding = 'identity' } = response.headers
    const encoded = coding !== 'identity' ? 'yes' : response.decoded === true ? 'unknown' : 'no'
    if (isEncoded(response)) response = await withoutContentCoding(response, attempt)
    core.limits.remove(attempt)
    return {
      status: response.status,
      headers: response.headers,
      encoded,
      body: limitedBody(response, limits),
      discard: () => discard(limits),
    }
  } catch (error) {
    release(core, attempt)
    throw loadedFailures().bodyFailure(error, { ...limits, beganMs })
  }
}

export class MemoryTarget implements DownloadTarget {
  readonly #queue = new ByteQueue()

  async write(chunk: Uint8Array): Promise<void> {
    this.#queue.push(chunk)
  }

  async restart(): Promise<void> {
    this.#queue.clear()
  }

  blob(contentType = ''): Blob {
    return new Blob([...this.#queue.pieces()] as BlobPart[], { type: contentType })
  }

  /** Returns the whole content as text, without a byte order mark; `undefined` if it isn't UTF-8. */
  text(): string | undefined {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    try {
      const parts = this.#queue.pieces().map((piece) => decoder.decode(piece, { stream: true }))
      return parts.join('') + decoder.decode()
    } catch {
      return undefined
    }
  }
}

/** A target that passes on the content as it arrives. */
export class StreamTarget implements DownloadTarget {
  readonly #begun = Promise.withResolvers<StreamedDownload>()
  readonly #left = new AbortController()
  /** Resolves once the server has begun to send the content. */
  readonly begun = this.#begun.promise
  /** Aborted when the reader cancels the stream. */
  readonly left = this.#left.signal
  readonly #body: ReadableStream<Uint8Array>
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #room = Promise.withResolvers<void>()
  #bytesPassedOn = 0

  constructor() {
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#room.resolve(),
        cancel: (reason) => {
          this.#left.abort(reason)
          this.#room.resolve()
        },
      },
      { highWaterMark: 0 },
    )
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#room.promise
    this.#room = Promise.withResolvers<void>()
    this.#bytesPassedOn += chunk.length
    this.#controller.enqueue(chunk)
  }

  async restart({ contentType, totalBytes }: Content): Promise<void> {
    if (this.#bytesPassedOn > 0) {
      throw new DownloadError(
        `The download was interrupted after ${this.#bytesPassedOn} bytes, and the server can send the content only from ` +
          'the start. The first bytes were already read from the stream, so start a new download.',
        { failure: 'interrupted', bytesSoFar: this.#bytesPassedOn },
      )
    }
    this.#begun.resolve({
      ...(contentType !== undefined && { contentType }),
      ...(totalBytes !== undefined && { totalBytes }),
      body: this.#body,
    })
  }

  async finish(): Promise<string> {
    this.#controller.close()
    return ''
  }

  fail(error: unknown): void {
    this.#begun.reject(error)
    this.#controller.error(error)
  }
}
