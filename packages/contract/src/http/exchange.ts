/** A header as it was on the wire. @public */
export type HeaderLine = readonly [name: string, value: string]

/** A request as it arrived, before any decoding. @public */
export interface RecordedRequest {
  readonly method: string
  /** Path and query exactly as sent, without the base path. */
  readonly target: string
  readonly headers: readonly HeaderLine[]
  readonly body: Uint8Array
}

/** A response as it was sent or received. @public */
export interface RecordedResponse {
  readonly status: number
  readonly headers: readonly HeaderLine[]
  readonly body: Uint8Array
}

/** A request and its response. @public */
export interface Exchange {
  readonly request: RecordedRequest
  readonly response: RecordedResponse
}

/**
 * A mistake in a request, a response or an outcome (the result of a client's call). A finding contains no header,
 * query or body values of the exchange, except for media types.
 *
 * @public
 */
export interface Finding {
  /** The kind of mistake. Codes are stable, so filters and reports can rely on them. */
  readonly code: FindingCode
  /** The location, for instance `request.query.limit` or `response.body/status`. */
  readonly at: string
  readonly message: string
}

/** The kinds of {@link Finding}. @public */
export type FindingCode =
  | 'attempts'
  | 'outside-base'
  | 'unknown-operation'
  | 'method'
  | 'path'
  | 'query'
  | 'header'
  | 'cookie'
  | 'security'
  | 'secret-leak'
  | 'content-type'
  | 'accept'
  | 'body'
  | 'part'
  | 'status'
  | 'media-type'
  | 'response-header'
  | 'response-body'
  | 'outcome'
  | 'decoded'
  | 'drift'
  | 'error-class'
  | 'rate-meaning'
  | 'validator'
  | 'prism'
  | 'step'
  | 'no-example'
  | 'frame'
  | 'message'
  | 'rule'

/** Returns a number with its noun, such as `1 problem` or `2 problems`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}

export function finding(code: FindingCode, at: string, message: string): Finding {
  return { code, at, message }
}

export function headerValues(headers: readonly HeaderLine[], name: string): readonly string[] {
  const wanted = name.toLowerCase()
  return headers.flatMap(([key, value]) => (key.toLowerCase() === wanted ? [value] : []))
}

export function headerValue(headers: readonly HeaderLine[], name: string): string | undefined {
  return headerValues(headers, name)[0]
}

export function mediaTypeOf(headers: readonly HeaderLine[]): string | undefined {
  const type = headerValue(headers, 'content-type')
  return type === undefined ? undefined : essenceOf(type)
}

export function cookiesOf(headers: readonly HeaderLine[]): readonly (readonly [string, string])[] {
  return headerValues(headers, 'cookie').flatMap((line) =>
    line.split(';').map((pair) => {
      const [name = '', ...value] = pair.trim().split('=')
      return [name, value.join('=')] as const
    }),
  )
}

export function isJson(mediaType: string): boolean {
  return /^(?:(?:application|text)\/|[^;]+\+)json$/.test(essenceOf(mediaType))
}

/** Returns a media type without its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
}

/** A range is a media type, a pattern such as `image/*`, or `*\/*` (all types). */
export function isInRange(range: string, mediaType: string | undefined): boolean {
  const wanted = essenceOf(range)
  if (wanted === '*/*') return true
  return wanted.endsWith('/*') ? (mediaType?.startsWith(wanted.slice(0, -1)) ?? false) : mediaType === wanted
}

/** `documented` can be a range such as `text/*`. */
export function typeToSend(documented: string, value: unknown): string {
  const isBytes = value instanceof Uint8Array || value instanceof Blob
  if (!documented.includes('*') || isBytes) return documented
  const type = typeof value === 'string' ? 'text/plain' : 'application/json'
  return isInRange(documented, type) ? type : documented
}

/** Returns the media ranges of an Accept header, except those with `q=0` (RFC 9110, section 12.4.2). */
export function acceptedRanges(accept: string): readonly string[] {
  return accept
    .split(',')
    .filter((range) => !/;\s*q=0(?:\.0*)?\s*$/.test(range))
    .map(essenceOf)
}

/** Returns whether a range of an Accept header allows a documented media type, which can be a range itself. */
export function isAccepted(range: string, documented: string): boolean {
  return isInRange(range, essenceOf(documented)) || isInRange(documented, range)
}

/** Returns whether a media type is `text/*`, XML, YAML, JavaScript or GraphQL. */
export function isText(mediaType: string): boolean {
  return /^text\/|^[^/]+\/(?:.+\+)?(?:xml|yaml)$|^application\/(?:x-yaml|javascript|graphql)$/.test(
    essenceOf(mediaType),
  )
}

export function readJson(body: string | Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8')) }
  } catch {
    return undefined
  }
}

export function jsonOrText(text: string): unknown {
  const read = readJson(text)
  return read ? read.value : text
}
