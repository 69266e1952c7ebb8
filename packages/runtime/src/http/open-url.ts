import { bounded, throwIfAborted } from '../core/async.ts'
import { OptionsError } from '../core/errors.ts'
import { Attempt, release } from './attempt.ts'
import { decodeAnswer, isEncoded, PLAIN } from './coded-answer.ts'
import { isReady, loadedFailures, makeReady } from './call.ts'
import type { ClientCore } from './client-state.ts'
import { discard, limitedBody } from './limited-body.ts'
import { headerValue, type RawHeaders } from './transport.ts'

/** Options of {@link openUrl}. */
export interface OpenUrlOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signals: readonly AbortSignal[]
  /** Milliseconds until the headers are there, and then for each silence in the body. */
  readonly timeoutMs?: number | undefined
}

/** The answer of an address that was opened. Its body must be read or discarded. */
export interface OpenedUrl {
  readonly status: number
  readonly headers: RawHeaders
  /** Whether the body had a content coding on its way: then no length or range holds for it. */
  readonly encoded: 'yes' | 'no' | 'unknown'
  /** The body as it comes, decoded. */
  readonly body: AsyncGenerator<Uint8Array>
  /** Ends the connection without reading the body. */
  discard(): void
}

const MAX_REDIRECTS = 5

/**
 * Opens an address that an answer gave, as it is, with GET. No credential goes with it: such an address carries
 * its own permission, and may lead anywhere. Redirects are followed, but never from https to http.
 */
export async function openUrl(core: ClientCore, url: string, options: OpenUrlOptions): Promise<OpenedUrl> {
  let target = parse(url)
  for (let redirects = 0; ; redirects++) {
    const opened = await openOnce(core, target, options)
    const { status, headers } = opened
    const location = status >= 300 && status < 400 ? headerValue(headers, 'location') : undefined
    if (location === undefined) return opened
    const next = URL.parse(location, target)
    // Too many, or away from https: the redirect itself is the answer.
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
    '`url` is not an absolute http or https address.',
    'Pass the address exactly as the service returned it.',
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
  const limits = { core, attempt, operation: `GET ${url.origin}`, timeoutMs }
  const beganMs = core.clock.monotonic()
  attempt.follow(options.signals)
  core.limits.add(attempt, timeoutMs, beganMs)
  try {
    if (attempt.cancelled) throw attempt.reason
    const extra = Object.entries(options.headers ?? {}).flat()
    let response = await core.transport!.send({
      method: 'GET',
      origin: url.origin,
      path: url.pathname + url.search,
      headers: ['accept', '*/*', 'accept-encoding', PLAIN, ...extra],
      body: undefined,
      answer: 'stream',
      maxResponseBytes: Infinity,
      control: attempt,
    })
    const { 'content-encoding': coding = 'identity' } = response.headers
    const encoded = coding !== 'identity' ? 'yes' : response.decoded === true ? 'unknown' : 'no'
    if (isEncoded(response)) response = await decodeAnswer(response, attempt, undefined)
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
    throw loadedFailures().ofBody(error, { ...limits, beganMs })
  }
}
