import { UnexpectedContentError } from '../core/errors.ts'
import type { ErrorAnswer } from '../core/errors.ts'
import { hasTooManyContainers, MAX_CONTAINERS } from '../core/json.ts'
import type { ResponseDescriptor } from '../core/operation.ts'
import type { Scrub } from '../core/redact.ts'
import { UnreadableResponse } from './buffered-response.ts'
import { headerValue, type TransportResponse } from './transport.ts'

const EXCERPT_LENGTH = 200

/** Why a body cannot be read as the contract says. */
export interface Unreadable {
  readonly problem: string
}

/** Reads a body as its descriptor says, or says why it cannot be. */
export function decode(response: TransportResponse, descriptor: ResponseDescriptor): unknown {
  if (response instanceof UnreadableResponse) return unreadable(response.problem)
  const { kind } = descriptor
  if (kind === 'empty') return undefined
  if (descriptor.openBody === true && response.text() === '') return undefined
  const contentType = headerValue(response.headers, 'content-type')
  if (kind === 'json' || (kind === 'any' && (contentType === undefined || isJson(contentType))))
    return decodeJson(response, contentType, kind)
  if (!isExpected(contentType, descriptor.contentType))
    return unreadable(wrongType(contentType, descriptor.contentType))
  if (kind === 'text' || kind === 'any') {
    const text = response.text()
    return isBroken(text, response) ? unreadable(NOT_UTF8) : kind === 'any' && text === '' ? undefined : text
  }
  return new Blob([response.bytes()], contentType === undefined ? {} : { type: contentType })
}

/** An answer to a submission is short. */
const MAX_LOOSE_LENGTH = 1_000_000

/** The body as JSON, whatever its media type; `undefined` if it isn't. */
export function parseLoosely(response: TransportResponse): unknown {
  const text = response.text()
  if (text.length > MAX_LOOSE_LENGTH) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const NOT_UTF8 = 'the body is not text in UTF-8'

function decodeJson(
  response: TransportResponse,
  contentType: string | undefined,
  kind: 'json' | 'any',
): unknown {
  if (contentType !== undefined && !isJson(contentType)) {
    return unreadable(wrongType(contentType, 'application/json'))
  }
  const text = response.text()
  if (text.length === 0)
    return kind === 'any' ? undefined : unreadable('the body is empty, where the contract has JSON')
  if (isBroken(text, response)) return unreadable(NOT_UTF8)
  if (hasTooManyContainers(text))
    return unreadable(`the body has more than ${MAX_CONTAINERS} objects and arrays, so it was not read`)
  try {
    return JSON.parse(text)
  } catch {
    if (kind === 'any' && contentType === undefined) return text
    // The parser's own error quotes the body, so it is not kept.
    return unreadable('the body is not valid JSON')
  }
}

/** Whether bytes that are not UTF-8 were replaced while a text was read. */
function isBroken(text: string, response: TransportResponse): boolean {
  if (!text.includes('\uFFFD')) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(response.bytes())
    return false
  } catch {
    return true
  }
}

class UnreadableBody implements Unreadable {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

function unreadable(problem: string): Unreadable {
  return new UnreadableBody(problem)
}

export function isUnreadable(data: unknown): data is Unreadable {
  return data instanceof UnreadableBody
}

function wrongType(actual: string | undefined, expected: string | undefined): string {
  return `the media type is ${mediaType(actual) || 'not given'}, where the contract has ${expected}`
}

function mediaType(contentType: string | undefined): string {
  const end = contentType?.indexOf(';') ?? -1
  return (end < 0 ? contentType : contentType?.slice(0, end))?.trim().toLowerCase() ?? ''
}

function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true
  const type = mediaType(contentType)
  return type === 'application/json' || type === 'text/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(type)
}

/** Whether a media type is one that the contract gives. */
export function isExpected(actual: string | undefined, expected: string | undefined): boolean {
  if (actual === undefined || expected === undefined) return true
  const wanted = mediaType(expected)
  // A contract that says octet-stream says only that there are bytes.
  if (wanted === '*/*' || wanted === 'application/octet-stream') return true
  const type = mediaType(actual)
  return wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}

/** Makes the error for an answer that cannot be read. */
export function unexpectedContent(
  operation: string,
  answer: ErrorAnswer,
  contentType: string | undefined,
  problem: string,
  scrub: Scrub | undefined,
): UnexpectedContentError {
  const flat =
    scrub === undefined
      ? ''
      : scrub(answer.text.slice(0, 4 * EXCERPT_LENGTH))
          .replaceAll(/\s+/g, ' ')
          .trim()
  const excerpt = flat.length > EXCERPT_LENGTH ? `${flat.slice(0, EXCERPT_LENGTH)}…` : flat
  return new UnexpectedContentError(
    `${operation}: the service answered ${answer.status}, but ${problem}. ` +
      'Something other than the service may have answered; check the base address and what stands between.',
    answer,
    { contentType: contentType ?? '', excerpt },
    { operation },
  )
}
