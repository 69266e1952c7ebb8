import { ApiError, ConnectionError, TimeoutError } from '../core/errors.ts'
import type { OpenedUrl } from './open-url.ts'
import { headerValue } from './transport.ts'

/** Statuses with which storage refuses a link whose time is over. */
const EXPIRED_STATUSES: readonly number[] = [401, 403, 404, 410]
const PASSING_STATUSES: readonly number[] = [206, 408, 416, 429, 500, 502, 503, 504]

/** What is known of the content from its first answer. */
export interface Content {
  readonly totalBytes: number | undefined
  readonly contentType: string | undefined
  /** A validator that is strong enough to resume by (RFC 9110, section 13.1.5). */
  readonly validator: string | undefined
}

/** Whether a status says that the time of a link is over. */
export function isExpiry(status: number): boolean {
  return EXPIRED_STATUSES.includes(status)
}

/** Whether another try may succeed. */
export function isPassing(error: unknown): boolean {
  if (ApiError.is(error)) return PASSING_STATUSES.includes(error.status)
  return ConnectionError.is(error) || TimeoutError.is(error)
}

/** Reads what the headers say of the content. */
export function contentOf({ headers }: OpenedUrl): Content {
  const length = headerValue(headers, 'content-length')
  const encoded = headerValue(headers, 'content-encoding') !== undefined
  const etag = headerValue(headers, 'etag')
  return {
    // The length of an encoded body is not that of what is read.
    totalBytes: length === undefined || encoded || !/^\d+$/.test(length) ? undefined : Number(length),
    contentType: headerValue(headers, 'content-type'),
    validator: etag !== undefined && !etag.startsWith('W/') ? etag : headerValue(headers, 'last-modified'),
  }
}
