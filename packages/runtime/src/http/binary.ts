/**
 * Whether a value is a Blob, of any realm: test environments, frames and older hosts have classes of their own, which are
 * not the global one.
 *
 * @public
 */
export function isBlob(value: unknown): value is Blob {
  if (typeof value !== 'object' || value === null) return false
  const { size, type, slice } = value as Partial<Blob>
  return typeof size === 'number' && typeof type === 'string' && typeof slice === 'function'
}

/** The bytes of a typed array, a DataView or an ArrayBuffer of any realm; `undefined` for anything else. */
export function asBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value))
    ? new Uint8Array(value as ArrayBuffer)
    : undefined
}

/** Whether a value is a web stream, of any realm. */
export function isStream(value: unknown): value is ReadableStream<Uint8Array> {
  return typeof (value as Partial<ReadableStream> | null | undefined)?.getReader === 'function'
}
