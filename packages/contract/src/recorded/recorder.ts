import { STATUS_CODES } from 'node:http'

import type { Media, Operation, SocketMessage, SocketSpec, Spec } from '@concord/spec-model'

import { headerValue, type Exchange, type HeaderLine, type RecordedResponse } from '../http/exchange.ts'
import { decode, rawPairs } from '../oracle/parameters.ts'
import type { Frame, FrameDirection } from '../socket/judge/judge-frame.ts'
import { leftOut, recorderName, type Har, type HarEntry, type HarPair, type HarSocketMessage } from './har.ts'
import { Redaction } from './redact.ts'

/** The maximum size of a recording. An exchange or message that doesn't fit is left out. */
const MAX_BYTES = 256 * 1024 * 1024
/** The approximate size of an entry or a message without its content. */
const OVERHEAD_BYTES = 256

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

interface RecordedExchange extends Exchange {
  readonly baseUrl: string
  /**
   * Undefined if the request matches no operation. The bodies are then left out, since the contract doesn't say which
   * of their values are secret.
   */
  readonly operation: Operation | undefined
  readonly requestMedia: Media | undefined
  readonly responseMedia: Media | undefined
  readonly startedMs: number
  readonly durationMs: number
}

/** Records a WebSocket after its handshake. */
export interface RecordedSocket {
  frame(direction: FrameDirection, frame: Frame, message?: SocketMessage): void
  closed(by: 'client' | 'server', code: number): void
}

/**
 * Records a proxy's traffic as HAR 1.2, without the secrets that the contract marks: credentials of its security
 * schemes, and all values with `x-secret` or `format: password`. WebSockets are recorded under `_webSocketMessages`, as
 * in the recordings of browsers.
 *
 * @public
 */
export class HarRecorder {
  readonly #redaction: Redaction
  readonly #socketRedaction: Redaction
  readonly #entries: { entry: HarEntry; messages?: HarSocketMessage[] }[] = []
  readonly #baseUrls = new Set<string>()
  readonly #version: string
  #heldBytes = 0
  #leftOut = 0

  /**
   * @param spec the contract of the recorded service.
   * @param version the version of the recording program, for `log.creator` in the recording.
   * @param sockets the contract of the WebSockets, if `spec` has only the HTTP operations.
   */
  constructor(spec: Spec | SocketSpec, version = '0.0.0', sockets?: SocketSpec) {
    this.#redaction = new Redaction(spec)
    this.#socketRedaction = sockets ? new Redaction(sockets) : this.#redaction
    this.#version = version
  }

  /** The number of exchanges and connections that were recorded. */
  get size(): number {
    return this.#entries.length
  }

  /** The number of exchanges and messages that were left out because they didn't fit into the recording. */
  get leftOut(): number {
    return this.#leftOut
  }

  exchange(one: RecordedExchange): void {
    const { request, response, operation } = one
    if (!this.#fits(sizeOf(one) + request.body.length + response.body.length)) return
    const shown = ({ body, headers }: typeof request | typeof response, media: Media | undefined) =>
      operation && this.#redaction.body(body, headers, media?.schema?.schema)
    const [sent, got] = [shown(request, one.requestMedia), shown(response, one.responseMedia)]
    const isLeftOut =
      (request.body.length > 0 && sent === undefined) || (response.body.length > 0 && got === undefined)
    const why = operation ? 'they could not be read' : 'the contract has no operation for this request'
    const entry = this.#entry(one, this.#redaction, isLeftOut ? `${leftOut}: ${why}` : undefined)
    const requestType = headerValue(request.headers, 'content-type') ?? ''
    const { text, encoding } = sent ? textOf(sent) : { text: '' }
    this.#entries.push({
      entry: {
        ...entry,
        request: {
          ...entry.request,
          bodySize: request.body.length,
          ...(sent && sent.length > 0
            ? { postData: { mimeType: requestType, text, ...(encoding ? { _encoding: encoding } : {}) } }
            : {}),
        },
        response: {
          ...entry.response,
          bodySize: response.body.length,
          content: contentOf(response, got),
        },
      },
    })
  }

  /** Records a handshake, denied or not. */
  socket(one: Omit<RecordedExchange, 'operation' | 'requestMedia' | 'responseMedia'>): RecordedSocket {
    const messages: HarSocketMessage[] = []
    const handshake = this.#entry({ ...one, operation: undefined }, this.#socketRedaction)
    const entry = { ...handshake, _resourceType: 'websocket' }
    const { body, headers } = one.response
    const shown = this.#socketRedaction.body(body, headers, undefined)
    const content = contentOf(one.response, body.length > 0 ? shown : undefined)
    const place = { entry: { ...entry, response: { ...entry.response, content } } as HarEntry, messages }
    const isKept = this.#fits(sizeOf(one) + body.length)
    if (isKept) this.#entries.push(place)
    return {
      frame: (direction, { binary, data }, message) => {
        const shown = binary ? data : this.#text(data, message)
        if (!isKept || !this.#fits(shown.length)) return
        messages.push({
          type: direction === 'sent' ? 'send' : 'receive',
          time: Date.now() / 1000,
          opcode: binary ? 2 : 1,
          data: Buffer.from(shown).toString(binary ? 'base64' : 'utf8'),
        })
      },
      closed: (by, code) => {
        place.entry = { ...place.entry, _webSocketClose: { by, code } }
      },
    }
  }

  /** Returns the recording so far. A secret that was found in one place is removed from all other places, too. */
  har(): Har {
    const entries = this.#entries.map(({ entry, messages }) =>
      messages && entry.response.status === 101 ? { ...entry, _webSocketMessages: messages } : entry,
    )
    const log = {
      version: '1.2',
      creator: { name: recorderName, version: this.#version },
      entries,
      _baseUrls: [...this.#baseUrls],
    }
    const hiders = [this.#redaction.hider(), this.#socketRedaction.hider()]
    const hide = (text: string): string => hiders.reduce((shown, hider) => hider(shown), text)
    return { log: scrubbed(log, hide) as Har['log'] }
  }

  #text(data: Uint8Array, message: SocketMessage | undefined): Uint8Array {
    const headers: HeaderLine[] = [['content-type', 'application/json']]
    return this.#socketRedaction.body(data, headers, message?.schema?.schema) ?? data
  }

  #entry(
    one: Pick<
      RecordedExchange,
      'request' | 'response' | 'baseUrl' | 'operation' | 'startedMs' | 'durationMs'
    >,
    redaction: Redaction,
    comment?: string,
  ): HarEntry {
    const { request, response, baseUrl, operation, startedMs, durationMs } = one
    this.#baseUrls.add(baseUrl)
    const target = redaction.target(request.target, operation)
    const pairs = (lines: readonly HeaderLine[]): HarPair[] =>
      redaction.headers(lines, operation).map(([name, value]) => ({ name, value }))
    return {
      startedDateTime: new Date(startedMs).toISOString(),
      time: durationMs,
      request: {
        method: request.method,
        url: baseUrl.replace(/\/$/, '') + target,
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: pairs(request.headers),
        queryString: rawPairs(target).map(([name, value]) => ({ name, value: decode(value) })),
        headersSize: -1,
        bodySize: 0,
      },
      response: {
        status: response.status,
        statusText: STATUS_CODES[response.status] ?? '',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: pairs(response.headers),
        content: { size: 0, mimeType: '' },
        redirectURL: redaction.target(headerValue(response.headers, 'location') ?? ''),
        headersSize: -1,
        bodySize: 0,
      },
      cache: {},
      timings: { send: 0, wait: durationMs, receive: 0 },
      ...(comment === undefined ? {} : { comment }),
    }
  }

  /** Returns whether `sizeBytes` more bytes fit into the recording, and adds them to its size if they do. */
  #fits(sizeBytes: number): boolean {
    const isFull = this.#heldBytes + sizeBytes + OVERHEAD_BYTES > MAX_BYTES
    if (isFull) this.#leftOut += 1
    else this.#heldBytes += sizeBytes + OVERHEAD_BYTES
    return !isFull
  }
}

function scrubbed(value: unknown, hideSecrets: (text: string) => string): unknown {
  if (typeof value === 'string') return hideSecrets(value)
  if (Array.isArray(value)) return value.map((one) => scrubbed(one, hideSecrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, scrubbed(one, hideSecrets)]))
}

function sizeOf({ request, response }: Exchange): number {
  const lines = [...request.headers, ...response.headers]
  return lines.reduce((sum, [name, value]) => sum + name.length + value.length, request.target.length)
}

function contentOf(
  { headers, body }: RecordedResponse,
  shown: Uint8Array | undefined,
): HarEntry['response']['content'] {
  const mimeType = headerValue(headers, 'content-type') ?? ''
  return { size: body.length, mimeType, ...(shown && textOf(shown)) }
}

function textOf(bytes: Uint8Array): { readonly text: string; readonly encoding?: 'base64' } {
  try {
    return { text: strictUtf8.decode(bytes) }
  } catch {
    return { text: Buffer.from(bytes).toString('base64'), encoding: 'base64' }
  }
}
