// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by @concord/generate. Do not edit.

/**
 * Returns whether a value can be sent as bytes: a file path, bytes, a Blob or a stream, or an object with one of
 * these as `content`.
 */
export function isBinaryInput(value: unknown): boolean {
  if (typeof value === 'string' || isBytes(value)) return true
  if (typeof value !== 'object' || value === null) return false
  // The file pickers of React Native return objects with a `uri`.
  if ('uri' in value) return typeof value.uri === 'string'
  if (!('content' in value)) return false
  const { content, filename, contentType, sizeBytes } = value as Record<string, unknown>
  return (
    (typeof content === 'string' || isBytes(content)) &&
    (filename === undefined || typeof filename === 'string') &&
    (contentType === undefined || typeof contentType === 'string') &&
    (sizeBytes === undefined || (typeof sizeBytes === 'number' && sizeBytes >= 0))
  )
}

function isBytes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  // `instanceof` would return false for objects from test environments and iframes, which have their own classes.
  if (ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]')
    return true
  const { size, slice, getReader } = value as { size?: unknown; slice?: unknown; getReader?: unknown }
  const isBlob = typeof size === 'number' && typeof slice === 'function'
  return isBlob || Symbol.asyncIterator in value || typeof getReader === 'function'
}

/** Returns whether a value is a Blob. Clients return the bytes of a response as a Blob. */
export function isBlob(value: unknown): boolean {
  return value instanceof Blob
}

/** Returns whether a value isn't undefined, which JSON can't contain. */
export function isPresent(value: unknown): boolean {
  return value !== undefined
}

/** Returns whether a number is an integer. Unlike zod's `int()`, this accepts integers of any size, such as 1e300. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value)
}

/** Tests whether at least one of these properties is missing. */
export function lacksOneOf(...names: readonly string[]): (value: object) => boolean {
  return (value) => names.some((name) => (value as Record<string, unknown>)[name] === undefined)
}

/** Returns whether a string is a UUID (RFC 9562) of any version, in upper or lower case, also after `urn:uuid:`. */
export function isUuid(value: string): boolean {
  return /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)
}

let uri: RegExp | undefined

/** Returns whether a string is a URI with a scheme (RFC 3986). As in Ajv, something must follow the scheme. */
export function isUri(value: string): boolean {
  // Most URIs match this pattern. The pattern for the whole grammar is compiled only when it is needed.
  if (
    /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:\/[\w.~!$&'()*+,;=:@/-]*)?(?:\?[\w.~!$&'()*+,;=:@/?-]*)?$/i.test(
      value,
    )
  )
    return true
  uri ??= uriExpression()
  return uri.test(value)
}

function uriExpression(): RegExp {
  const escaped = '%[0-9a-f]{2}'
  const plain = "a-z0-9\\-._~!$&'()*+,;="
  const character = `(?:[${plain}:@]|${escaped})`
  const byte = '(?:25[0-5]|2[0-4]\\d|[01]?\\d\\d?)'
  const group = '[0-9a-f]{1,4}'
  const last = `(?:${group}:${group}|(?:${byte}\\.){3}${byte})`
  const upTo = (count: number) => `(?:(?:${group}:){0,${count}}${group})?::`
  const shortened = [0, 1, 2, 3, 4].map((count) => `${upTo(count)}(?:${group}:){${4 - count}}${last}`)
  const ipv6 = [
    `(?:${group}:){6}${last}`,
    `::(?:${group}:){5}${last}`,
    ...shortened,
    `${upTo(5)}${group}`,
    upTo(6),
  ]
  const host = `(?:\\[(?:${ipv6.join('|')}|v[0-9a-f]+\\.[${plain}:]+)\\]|(?:[${plain}]|${escaped})*)`
  const authority = `(?:(?:[${plain}:]|${escaped})*@)?${host}(?::\\d*)?`
  const segments = `(?:/${character}*)*`
  const path = `(?:/?/${authority}${segments}|/(?:${character}+${segments})?|${character}+${segments})`
  const tail = `(?:[${plain}:@/?]|${escaped})*`
  return new RegExp(`^[a-z][a-z0-9+\\-.]*:${path}(?:\\?${tail})?(?:#${tail})?$`, 'i')
}
