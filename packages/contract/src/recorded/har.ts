import { readFileSync } from 'node:fs'

import { invalidOptions, isObject, reasonOf } from '@concord/spec-model'

import {
  headerValue,
  type Exchange,
  type HeaderLine,
  type RecordedResponse,
  type RecordedRequest,
} from '../http/exchange.ts'
import type { Frame } from '../socket/judge/judge-frame.ts'

/** A header, cookie or query parameter in a HAR document. @public */
export interface HarPair {
  readonly name: string
  readonly value: string
}

/** A WebSocket message as browsers record it. The data of a binary message (opcode 2) is Base64. @public */
export interface HarSocketMessage {
  readonly type: 'send' | 'receive'
  /** Seconds since 1970. */
  readonly time: number
  readonly opcode: number
  readonly data: string
}

/** One exchange of a HAR document. @public */
export interface HarEntry {
  readonly startedDateTime: string
  /** The duration of the exchange, in milliseconds. */
  readonly time: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly httpVersion: string
    readonly cookies: readonly HarPair[]
    readonly headers: readonly HarPair[]
    readonly queryString: readonly HarPair[]
    readonly postData?: {
      readonly mimeType: string
      readonly text: string
      readonly params?: readonly unknown[]
      /** `base64` if the text is Base64. HAR 1.2 has a member for this (`encoding`) only in responses. */
      readonly _encoding?: string
    }
    readonly headersSize: number
    readonly bodySize: number
  }
  readonly response: {
    readonly status: number
    readonly statusText: string
    readonly httpVersion: string
    readonly cookies: readonly HarPair[]
    readonly headers: readonly HarPair[]
    readonly content: {
      readonly size: number
      readonly mimeType: string
      readonly text?: string
      readonly encoding?: string
    }
    readonly redirectURL: string
    readonly headersSize: number
    readonly bodySize: number
  }
  readonly cache: object
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number }
  readonly comment?: string
  readonly _resourceType?: string
  readonly _webSocketMessages?: readonly HarSocketMessage[]
  /** Who closed a WebSocket, and the close code. */
  readonly _webSocketClose?: { readonly by: 'client' | 'server'; readonly code: number }
}

/** A HAR 1.2 document. @public */
export interface Har {
  readonly log: {
    readonly version: string
    readonly creator: { readonly name: string; readonly version: string }
    readonly entries: readonly HarEntry[]
    /** The base URLs of the recorded services. */
    readonly _baseUrls?: readonly string[]
  }
}

/** The `creator.name` of the recordings that this package makes. */
export const recorderName = '@concord/contract'
/** The `comment` of an entry begins with this string if its bodies were left out. */
export const leftOut = 'bodies are left out'
/** The string that replaces a secret. */
export const removed = '(removed)'

/** @throws ContractError if the file doesn't exist or isn't HAR. */
export function readHar(file: string): Har {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw invalidOptions(
      isMissing(cause)
        ? `The file ${file} does not exist.`
        : `${file} could not be read as HAR: ${reasonOf(cause)}.`,
      'Pass a file that a browser or `concord-contract proxy --har` wrote.',
      { cause },
    )
  }
  const log = isObject(parsed) ? parsed['log'] : undefined
  const entries = isObject(log) ? log['entries'] : undefined
  if (!Array.isArray(entries) || !entries.every(isEntry)) {
    throw invalidOptions(
      `${file} is not a HAR document: \`log.entries\` must be a list, and each entry must have a \`request\` and a \`response\`.`,
      'Pass a file that a browser or `concord-contract proxy --har` wrote.',
    )
  }
  return parsed as Har
}

function isEntry(entry: unknown): entry is HarEntry {
  if (!isObject(entry)) return false
  const { request, response } = entry
  return (
    isObject(request) &&
    typeof request['method'] === 'string' &&
    URL.parse(String(request['url'])) !== null &&
    Array.isArray(request['headers']) &&
    isObject(response) &&
    typeof response['status'] === 'number' &&
    Array.isArray(response['headers']) &&
    isObject(response['content'])
  )
}

/** Returns whether an entry is a WebSocket handshake. Denied handshakes count, too. */
export function isSocket({ _resourceType, request, _webSocketMessages }: HarEntry): boolean {
  return _resourceType === 'websocket' || _webSocketMessages !== undefined || /^wss?:/.test(request.url)
}

/**
 * Headers to leave out: HTTP/2 pseudo-headers, and headers about the transfer of a body, since a HAR document has
 * only the decoded body.
 */
const ofTheWire = /^(?:content-encoding|content-length|transfer-encoding|connection|:.*)$/i

export function exchangeOf({ request, response }: HarEntry, target: string): Exchange {
  const lines = (pairs: readonly HarPair[]): HeaderLine[] =>
    pairs.flatMap(({ name, value }) => (ofTheWire.test(name) ? [] : [[name, value] as const]))
  const { content } = response
  const { postData } = request
  const recorded: RecordedRequest = {
    method: request.method.toUpperCase(),
    target,
    headers: lines(request.headers),
    body: bytesOf(postData?.text, postData?._encoding),
  }
  const headers = lines(response.headers)
  const recordedResponse: RecordedResponse = {
    status: response.status,
    headers:
      headerValue(headers, 'content-type') === undefined && content.mimeType !== '' && content.size > 0
        ? [...headers, ['content-type', content.mimeType]]
        : headers,
    body: bytesOf(content.text, content.encoding),
  }
  return { request: recorded, response: recordedResponse }
}

function bytesOf(text = '', encoding?: string): Uint8Array {
  return Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
}

export function frameOf({ opcode, data }: HarSocketMessage): Frame {
  const binary = opcode === 2
  return { binary, data: Buffer.from(data, binary ? 'base64' : 'utf8') }
}

/** Returns the path and query of an entry's URL. */
export function pathOf({ request }: HarEntry): string {
  const { pathname, search } = new URL(request.url)
  return pathname + search
}

/**
 * Finds the first base URL that an entry's URL begins with, and returns the path and query after this base URL.
 *
 * @throws ContractError if a base URL is invalid.
 */
export function targetOf({ request }: HarEntry, baseUrls: readonly string[]): string | undefined {
  return baseUrls.map((base) => targetBelow(request.url, base)).find((one) => one !== undefined)
}

function targetBelow(url: string, baseUrl: string): string | undefined {
  const asHttp = (text: string): URL => new URL(text.replace(/^ws/i, 'http'))
  const address = asHttp(url)
  if (!URL.canParse(baseUrl))
    throw invalidOptions(
      'The base URL of the recorded service is not an absolute URL.',
      'Pass `baseUrl` as, for example, `https://api.example.com/v1`.',
    )
  const base = asHttp(baseUrl)
  const path = base.pathname.replace(/\/$/, '')
  if (address.host !== base.host || !`${address.pathname}/`.startsWith(`${path}/`)) return undefined
  return address.pathname.slice(path.length) + address.search
}

function isMissing(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === 'ENOENT'
}
