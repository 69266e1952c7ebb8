// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.

/** Bytes to send: the path of a file, bytes, a Blob or a stream; or one of these with its name, type and length. */
export function isBinaryInput(value: unknown): boolean {
  if (typeof value === 'string' || isBytes(value)) return true
  if (typeof value !== 'object' || value === null) return false
  // A file as the pickers of React Native return it.
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
  // Test environments and frames have their own classes, so a value is recognized by what it can do.
  if (ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]')
    return true
  const { size, slice, getReader } = value as { size?: unknown; slice?: unknown; getReader?: unknown }
  const isBlob = typeof size === 'number' && typeof slice === 'function'
  return isBlob || Symbol.asyncIterator in value || typeof getReader === 'function'
}

/** Bytes that were received. */
export function isBlob(value: unknown): boolean {
  return value instanceof Blob
}

/** The bytes of one message. */
export function isUint8Array(value: unknown): boolean {
  return value instanceof Uint8Array
}

/** A length in characters of Unicode (code points), as JSON Schema counts, not in UTF-16 code units. */
export function hasMinCodePoints(least: number): (value: string) => boolean {
  return (value) => value.length >= least && (value.length >= least * 2 || codePoints(value) >= least)
}

function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}

/** Whether at least one of these properties is missing. */
export function lacksOneOf(...names: readonly string[]): (value: object) => boolean {
  return (value) => names.some((name) => (value as Record<string, unknown>)[name] === undefined)
}
