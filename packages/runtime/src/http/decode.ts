import { hasTooManyContainers, readPointer } from '../core/json.ts'
import { load } from '../core/async.ts'
import type { OperationDescriptor, ResponseDescriptor } from '../core/descriptors.ts'
import { headerValue, type RequestControl, type TransportResponse } from './transport.ts'

export type Problem = 'media-type' | 'empty' | 'encoding' | 'too-many' | 'syntax' | 'coding'

/** A body that can't be read as the contract defines. */
export class Unreadable {
  readonly problem: Problem
  constructor(problem: Problem) {
    this.problem = problem
  }
}

/** Reads a body according to its descriptor. Returns an {@link Unreadable} if that fails. */
export function decode(response: TransportResponse, descriptor: ResponseDescriptor): unknown {
  if ('undecodable' in response) return new Unreadable('coding')
  const { kind } = descriptor
  if (kind === 'empty' || (kind === 'items' && response.status === 204)) return undefined
  if (descriptor.openBody === true && response.text() === '') return undefined
  const contentType = headerValue(response.headers, 'content-type')
  if (kind === 'json' || (kind === 'any' && (contentType === undefined || isJson(contentType))))
    return decodeJson(response, contentType, kind)
  if (!isExpected(contentType, descriptor)) return new Unreadable('media-type')
  if (kind === 'text' || kind === 'any') {
    const text = response.text()
    if (isBroken(text, response)) return new Unreadable('encoding')
    return kind === 'any' && text === '' ? undefined : text
  }
  const bytes = response.bytes()
  if (descriptor.isMedia === true && bytes.length === 0) return new Unreadable('empty')
  return new Blob([bytes], contentType === undefined ? {} : { type: contentType })
}

/** For the kind `any`, a body that has no media type and isn't JSON is returned as a string. */
export function decodeJson(
  response: TransportResponse,
  contentType: string | undefined,
  kind: 'json' | 'any',
): unknown {
  if (contentType !== undefined && !isJson(contentType)) return new Unreadable('media-type')
  const text = response.text()
  if (text.length === 0) return kind === 'any' ? undefined : new Unreadable('empty')
  if (isBroken(text, response)) return new Unreadable('encoding')
  if (hasTooManyContainers(text)) return new Unreadable('too-many')
  try {
    return JSON.parse(text)
  } catch {
    return kind === 'any' && contentType === undefined ? text : new Unreadable('syntax')
  }
}

/**
 * Returns whether a body isn't valid UTF-8. The decoder replaces invalid bytes with U+FFFD, but valid text may
 * contain this character too.
 */
function isBroken(text: string, response: TransportResponse): boolean {
  if (!text.includes('\uFFFD')) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(response.bytes())
    return false
  } catch {
    return true
  }
}

/** Returns a media type without its parameters, in lower case. */
export function mediaType(contentType: string | undefined): string {
  const [type = ''] = (contentType ?? '').split(';', 1)
  return type.trim().toLowerCase()
}

function isJson(contentType: string): boolean {
  const type = mediaType(contentType)
  return type === 'application/json' || type === 'text/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(type)
}

const NOT_MEDIA = /^(?:text\/html|(?:text|application)\/(?:.+\+)?(?:json|xml))$/

/**
 * Returns whether content of this media type can be audio, video or an image. True if the server names no media type.
 *
 * @public
 */
export function canBeMedia(contentType: string | undefined): boolean {
  return !NOT_MEDIA.test(mediaType(contentType))
}

/** Returns whether the contract allows the media type of a response. */
export function isExpected(
  actual: string | undefined,
  { contentType: expected, isMedia }: Pick<ResponseDescriptor, 'contentType' | 'isMedia'>,
): boolean {
  if (isMedia === true && !canBeMedia(actual)) return false
  if (actual === undefined || expected === undefined) return true
  const range = mediaType(expected)
  // A contract with octet-stream says only that the body is bytes.
  return range === 'application/octet-stream' || isInRange(mediaType(actual), range)
}

// `range` is a media type, or a pattern such as `*/*`, `image/*` or `application/*+json`.
export function isInRange(type: string, range: string): boolean {
  const [start = '', end] = range.split('*')
  if (end === undefined) return type === range
  return range === '*/*' || (type.startsWith(start) && type.endsWith(end) && type.length > range.length - 1)
}

/**
 * Reads the id of accepted work, such as a job, from the data of a successful response. Returns `undefined` if the
 * contract doesn't say where the id is, or if the data has no id.
 */
export function acceptedId({ outcome }: OperationDescriptor, data: unknown): string | undefined {
  if (outcome?.id === undefined) return undefined
  const id = readPointer(data, outcome.id)
  return typeof id === 'string' || Number.isSafeInteger(id) ? String(id) : undefined
}

/** The `accept-encoding` for JSON and text. All supported platforms can decode gzip and Brotli. */
export const COMPRESSED = 'gzip, br'
/** The `accept-encoding` for files and audio, which are already compressed, and for range requests. */
export const PLAIN = 'identity'

/** Returns whether the body of a response still has a content coding (RFC 9110, section 8.4). */
export function isEncoded({ headers, decoded }: TransportResponse): boolean {
  return headers['content-encoding'] !== undefined && decoded !== true
}

/** Few responses need the decoder, so it loads on demand. */
export async function withoutContentCoding(
  response: TransportResponse,
  control: RequestControl,
): Promise<TransportResponse> {
  const { decodeStreamed } = await load(import('./content-coding.ts'))
  if (control.cancelled) throw control.reason
  return decodeStreamed(response, control)
}
