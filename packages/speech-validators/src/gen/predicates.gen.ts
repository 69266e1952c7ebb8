// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.

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

/** Returns whether a value is a Uint8Array. Clients return the bytes of a WebSocket message as a Uint8Array. */
export function isUint8Array(value: unknown): boolean {
  return value instanceof Uint8Array
}

/** Tests whether a string has at least `least` characters. As in JSON Schema, a character is a Unicode code point. */
export function hasMinCodePoints(least: number): (value: string) => boolean {
  return (value) => value.length >= least && (value.length >= least * 2 || codePoints(value) >= least)
}

function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}

/** Tests whether at least one of these properties is missing. */
export function lacksOneOf(...names: readonly string[]): (value: object) => boolean {
  return (value) => names.some((name) => (value as Record<string, unknown>)[name] === undefined)
}
