import type { OpenedUrl } from './open-url.ts'
import { headerValue, type RawHeaders } from './transport.ts'

/** A clock that differs by less than this between two servers is a usual one. */
const CLOCK_DOUBT_MS = 60_000
/** Enough of a refusal to see what it says. */
const REFUSAL_BYTES = 4_096

/** What is known of the content from its first answer. */
export interface Content {
  readonly totalBytes: number | undefined
  /** Whether `totalBytes` is certain. Pages can't see whether an answer from another origin was compressed. */
  readonly exact: boolean
  readonly contentType: string | undefined
  /** A validator that is strong enough to resume by (RFC 9110, section 13.1.5). */
  readonly validator: string | undefined
}

/** Reads what the headers say of the content. */
export function contentOf({ headers, encoded }: OpenedUrl): Content {
  const length = headerValue(headers, 'content-length')
  return {
    // The length of a compressed body is not that of what is read.
    totalBytes:
      length === undefined || encoded === 'yes' || !/^\d+$/.test(length) ? undefined : Number(length),
    exact: encoded === 'no',
    contentType: headerValue(headers, 'content-type'),
    // Ranges are ranges of the compressed bytes.
    validator: encoded === 'yes' ? undefined : strongValidator(headers),
  }
}

/**
 * An entity tag that is not weak; or the date of the last change, if so much older than the answer that the content can't
 * have changed twice within that second (RFC 9110, section 8.8.2.2).
 */
function strongValidator(headers: RawHeaders): string | undefined {
  const etag = headerValue(headers, 'etag')
  if (etag !== undefined && !etag.startsWith('W/')) return etag
  const modified = headerValue(headers, 'last-modified')
  const ageMs = Date.parse(headerValue(headers, 'date') ?? '') - Date.parse(modified ?? '')
  return ageMs >= CLOCK_DOUBT_MS ? modified : undefined
}

/**
 * Whether a partial answer is the rest of the same content, from this byte on (RFC 9110, section 15.3.7): a single range,
 * the same validator, the same length.
 */
export function continues(
  { status, headers, encoded }: OpenedUrl,
  { validator, totalBytes, exact }: Content,
  fromByte: number,
): boolean {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/i.exec(headerValue(headers, 'content-range') ?? '')
  if (status !== 206 || encoded === 'yes' || range === null || Number(range[1]) !== fromByte) return false
  if (exact && totalBytes !== undefined && range[2] !== '*' && Number(range[2]) !== totalBytes) return false
  // A partial answer must have the entity tag of the whole; the date of the last change may be left out.
  return validator?.startsWith('"') === true
    ? headerValue(headers, 'etag') === validator
    : (headerValue(headers, 'last-modified') ?? validator) === validator
}

/** What it means that storage refuses a link; `undefined` for a failure that says nothing of the link. */
export async function refusalOf({ status, body }: OpenedUrl): Promise<Refusal | undefined> {
  if (status < 400 || status >= 500 || status === 408 || status === 416 || status === 429) return undefined
  if (status === 410 || (await saysExpired(body)))
    return { failure: 'expired', what: 'the link has expired', status }
  if (status === 404) return { failure: 'missing', what: 'there is nothing at this link (any more)', status }
  return status === 401 || status === 403
    ? { failure: 'refused', what: 'the server refuses the link, which may have expired', status }
    : undefined
}

/** Why storage does not give the content of a link. */
interface Refusal {
  readonly failure: 'expired' | 'missing' | 'refused'
  readonly what: string
  readonly status: number
}

/** The services of storage tell an expired link in words of their own, and most with a status that means other things too. */
async function saysExpired(body: AsyncIterable<Uint8Array>): Promise<boolean> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const piece of body) {
      text += decoder.decode(piece, { stream: true })
      if (text.length >= REFUSAL_BYTES) break
    }
  } catch {
    // Whatever arrived is enough.
  }
  return /expire/i.test(text.slice(0, REFUSAL_BYTES))
}
