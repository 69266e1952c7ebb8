import { load } from '../core/async.ts'
import { RequestInvalidError } from '../core/errors.ts'

/**
 * Returns whether a value is a Blob. Unlike `instanceof`, this function recognizes the Blobs of frames, test
 * environments and older platforms, which have their own Blob classes.
 *
 * @public
 */
export function isBlob(value: unknown): value is Blob {
  if (typeof value !== 'object' || value === null) return false
  const { size, type, slice } = value as Partial<Blob>
  return typeof size === 'number' && typeof type === 'string' && typeof slice === 'function'
}

/** Returns the bytes of a typed array, a DataView or an ArrayBuffer. The value can be from another realm. */
export function asBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value))
    ? new Uint8Array(value as ArrayBuffer)
    : undefined
}

/** Returns whether a value is a stream. Unlike `instanceof`, recognizes streams from other realms, such as frames. */
export function isStream(value: unknown): value is ReadableStream<Uint8Array> {
  return typeof (value as Partial<ReadableStream> | null | undefined)?.getReader === 'function'
}

/** Content to upload, with the properties that are known before the content is read. @public */
export interface OpenedBinary {
  readonly filename: string | undefined
  readonly contentType: string | undefined
  readonly sizeBytes: number | undefined
  /** Reads the bytes. Bytes from a stream can be read only once. */
  read(): AsyncIterable<Uint8Array>
}

/**
 * Opens content that can be sent as bytes, so that your code can inspect the content before sending it. The input can
 * be any `BinaryInput`, such as bytes, a Blob, a stream or a file path.
 *
 * @param place A JSON pointer to the content in the input of the API call, such as `/body/file`. The error message
 *   contains this pointer.
 * @throws RequestInvalidError if the content can't be read.
 * @public
 */
export async function openBinary(input: unknown, place: string, operation?: string): Promise<OpenedBinary> {
  // Loaded on first use, because most calls upload nothing.
  const { toUploadSource, iterate } = await load(import('./upload-source.ts'), { operation })
  const source = await toUploadSource(input, place)
  if ('reason' in source) {
    const before = operation === undefined ? '' : `${operation}: `
    throw new RequestInvalidError(
      `${before}${source.path} ${source.reason}. Nothing was sent.`,
      [source],
      operation === undefined ? {} : { operation },
    )
  }
  const { filename, contentType, sizeBytes } = source
  return { filename, contentType, sizeBytes, read: () => iterate(source.read()) }
}

/**
 * Returns whether the platform is React Native. React Native can send bytes with `fetch`, but it can't send a stream,
 * create a Blob from bytes, or read a response body as a stream.
 */
export function isReactNative(): boolean {
  return (globalThis.navigator as { product?: unknown } | undefined)?.product === 'ReactNative'
}
