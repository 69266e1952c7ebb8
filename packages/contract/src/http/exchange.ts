/** A header as it was on the wire: its name and value, in order. @public */
export type HeaderLine = readonly [name: string, value: string]

/** A request as it arrived, before anything decoded it. @public */
export interface RecordedRequest {
  readonly method: string
  /** Path and query exactly as sent, without the base path. */
  readonly target: string
  readonly headers: readonly HeaderLine[]
  readonly body: Uint8Array
}

/** An answer as it was sent or received. @public */
export interface RecordedAnswer {
  readonly status: number
  readonly headers: readonly HeaderLine[]
  readonly body: Uint8Array
}

/** A request and its answer. @public */
export interface Exchange {
  readonly request: RecordedRequest
  readonly answer: RecordedAnswer
}

/** A mistake in a request, an answer or an outcome. Contains no value of the exchange. @public */
export interface Finding {
  /** The kind of mistake; stable, for filters and reports. */
  readonly code: FindingCode
  /** Where: for instance `request.query.limit` or `response.body/status`. */
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

/** The values of a header, in order. */
export function headerValues(headers: readonly HeaderLine[], name: string): readonly string[] {
  const wanted = name.toLowerCase()
  return headers.flatMap(([key, value]) => (key.toLowerCase() === wanted ? [value] : []))
}

/** The value of a header that comes once; undefined when it is not there. */
export function headerValue(headers: readonly HeaderLine[], name: string): string | undefined {
  return headerValues(headers, name)[0]
}

/** The media type without parameters, in lower case; undefined when there is no content type. */
export function mediaTypeOf(headers: readonly HeaderLine[]): string | undefined {
  const type = headerValue(headers, 'content-type')
  return type === undefined ? undefined : essenceOf(type)
}

/** The values of all cookies of a request, by name and in order. */
export function cookiesOf(headers: readonly HeaderLine[]): readonly (readonly [string, string])[] {
  return headerValues(headers, 'cookie').flatMap((line) =>
    line.split(';').map((pair) => {
      const [name = '', ...value] = pair.trim().split('=')
      return [name, value.join('=')] as const
    }),
  )
}

/** Says whether bytes of this media type are JSON. Parameters, which documents may write, don't count. */
export function isJson(mediaType: string): boolean {
  return /^application\/(?:[^;]+\+)?json$/.test(essenceOf(mediaType))
}

/** A media type without its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
}

// Says whether a media type is one that a range of a document means: `image/png`, `image/*`, or `*/*` for all.
export function isInRange(range: string, mediaType: string | undefined): boolean {
  const wanted = essenceOf(range)
  if (wanted === '*/*') return true
  return wanted.endsWith('/*') ? (mediaType?.startsWith(wanted.slice(0, -1)) ?? false) : mediaType === wanted
}

/** The media ranges of an Accept header, without parameters: those with `q=0` are left out (RFC 9110, section 12.4.2). */
export function acceptedRanges(accept: string): readonly string[] {
  return accept
    .split(',')
    .filter((range) => !/;\s*q=0(?:\.0*)?\s*$/.test(range))
    .map(essenceOf)
}

/** Says whether a range of an Accept header allows a documented media type, which can be a range itself. */
export function isAccepted(range: string, documented: string): boolean {
  return isInRange(range, essenceOf(documented)) || isInRange(documented, range)
}

/** Says whether bytes of this media type are text. */
export function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/')
}
