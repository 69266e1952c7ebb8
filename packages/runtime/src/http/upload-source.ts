import { type Issue, OptionsError } from '../core/errors.ts'
import { load } from '../core/async.ts'
import { asBytes, isBlob, isStream } from './binary.ts'

/**
 * Content to send: a file path, bytes, a Blob or a stream. It can also be an object that has one of these as
 * `content` and, if known, a file name, a media type and a length. A path works only in environments that can read
 * files. In React Native, pass a file as the object that a file picker returns: `{ uri, name, type }`.
 *
 * @public
 */
export type BinaryInput =
  | string
  | BinaryContent
  | {
      readonly content: string | BinaryContent
      readonly filename?: string | undefined
      readonly contentType?: string | undefined
      readonly sizeBytes?: number | undefined
    }
  | PickedFile

/** Bytes, a Blob or a stream of bytes. @public */
export type BinaryContent =
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>

/** A file on a device, as React Native's file pickers return it. Its name and media type are sent if known. @public */
export interface PickedFile {
  readonly uri: string
  readonly name?: string | null | undefined
  readonly type?: string | null | undefined
}

/** Returns whether a value is a React Native file. Only React Native's own FormData and `fetch` can read it. */
export function isPicked(value: unknown): value is PickedFile {
  if (typeof value !== 'object' || value === null || !('uri' in value)) return false
  const { uri, name, type } = value as Record<string, unknown>
  const isText = (one: unknown): boolean => one === undefined || one === null || typeof one === 'string'
  return typeof uri === 'string' && isText(name) && isText(type)
}

export const NEEDS_REACT_NATIVE =
  'is a React Native file ({ uri, name, type }), which only React Native can read; in other environments, pass a file path, bytes, a Blob or a stream'

export interface UploadSource {
  readonly filename: string | undefined
  readonly contentType: string | undefined
  readonly sizeBytes: number | undefined
  /** Whether the content can be read more than once. */
  readonly replayable: boolean
  /** The whole content, if it is in memory. */
  readonly whole?: Blob | Uint8Array<ArrayBuffer>
  read(): Reading
}

/** @param place JSON pointer to the input, for messages. */
export function toUploadSource(
  input: unknown,
  place: string,
): UploadSource | Issue | Promise<UploadSource | Issue> {
  if (typeof input === 'string') return fromPath(input, place, {})
  const plain = fromContent(input, {})
  if (plain !== undefined) return plain
  if (typeof input === 'object' && input !== null && 'content' in input) {
    const description = input as Described
    if (typeof input.content === 'string') return fromPath(input.content, place, description)
    const described = fromContent(input.content, description)
    if (described !== undefined) return described
  }
  if (isPicked(input)) return { path: place, reason: NEEDS_REACT_NATIVE }
  return { path: place, reason: 'must be a file path, bytes, a Blob or a stream' }
}

interface Described {
  readonly filename?: string | undefined
  readonly contentType?: string | undefined
  readonly sizeBytes?: number | undefined
}

/** Loads `#files` on demand, because not every environment has files. */
async function fromPath(path: string, place: string, description: Described): Promise<UploadSource | Issue> {
  const { openUpload } = await load(import('#files'))
  const source = await openUpload(path)
  if (typeof source === 'string') return { path: place, reason: source }
  const { filename = source.filename, contentType = source.contentType } = description
  return { ...source, filename, contentType }
}

function fromContent(content: unknown, description: Described): UploadSource | undefined {
  const bytes = asBytes(content)
  if (bytes !== undefined) return fromBytes(bytes, description)
  if (isBlob(content)) {
    const filename =
      description.filename ??
      ('name' in content && typeof content.name === 'string' ? content.name : undefined)
    return {
      filename,
      contentType: description.contentType ?? (content.type === '' ? undefined : content.type),
      sizeBytes: content.size,
      replayable: true,
      // `fetch` can send a Blob as a whole only if the Blob is an instance of the environment's own class.
      ...(content instanceof Blob && typeof content.stream === 'function' ? { whole: content } : undefined),
      read: () => readBlobPieces(content),
    }
  }
  if (isStream(content)) return fromStream(() => readStream(content), description)
  if (typeof content === 'object' && content !== null && Symbol.asyncIterator in content) {
    return fromStream(() => readIterable(content as AsyncIterable<unknown>), description)
  }
  return undefined
}

export function fromBytes(bytes: Uint8Array, { filename, contentType }: Described = {}): UploadSource {
  return {
    filename,
    contentType,
    sizeBytes: bytes.length,
    replayable: true,
    whole: bytes as Uint8Array<ArrayBuffer>,
    read: () => readSlices(bytes.length, 65_536, (from, to) => bytes.subarray(from, to)),
  }
}

function fromStream(read: () => Reading, { filename, contentType, sizeBytes }: Described): UploadSource {
  return {
    filename,
    contentType,
    sizeBytes,
    replayable: false,
    read: () =>
      sizeBytes === undefined
        ? read()
        : exactly(read(), sizeBytes, filename === undefined ? 'the stream' : JSON.stringify(filename)),
  }
}

/** A read in progress. Unlike an async iterator, it can be canceled at any time. */
export interface Reading {
  /** Returns the next bytes; `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>
  /** Releases the source, even while `next` is waiting. */
  cancel(): void
}

const encoder = new TextEncoder()

/** Accepts strings, because a Node stream with an encoding produces strings. */
function toBytes(chunk: unknown): Uint8Array {
  const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : asBytes(chunk)
  if (bytes !== undefined) return bytes
  throw new OptionsError(
    'upload',
    'The uploaded stream produced a chunk that is neither bytes nor a string, so the request was aborted.',
    'Pass a stream of Uint8Array chunks.',
  )
}

function readSlices(
  sizeBytes: number,
  sliceBytes: number,
  slice: (from: number, to: number) => Promise<Uint8Array> | Uint8Array,
): Reading {
  let at = 0
  return {
    async next() {
      if (at >= sizeBytes) return undefined
      const from = at
      at += sliceBytes
      return slice(from, at)
    },
    cancel() {
      at = sizeBytes
    },
  }
}

export function readStream(stream: ReadableStream<Uint8Array>): Reading {
  const reader = stream.getReader()
  return {
    async next() {
      const { done, value } = await reader.read()
      return done ? undefined : toBytes(value)
    },
    cancel() {
      reader.cancel().catch(() => undefined)
    },
  }
}

export function readBlobPieces(blob: Blob): Reading {
  if (typeof blob.stream === 'function') return readStream(blob.stream())
  return readSlices(
    blob.size,
    2 ** 20,
    async (from, to) => new Uint8Array(await readSlice(blob.slice(from, to))),
  )
}

/** In React Native and jsdom, only a FileReader can read Blobs. */
async function readSlice(slice: Blob): Promise<ArrayBuffer> {
  if (typeof slice.arrayBuffer === 'function') return slice.arrayBuffer()
  try {
    return await new Promise<ArrayBuffer>((resolve, reject) => {
      const reader = new FileReader()
      reader.addEventListener('load', () => resolve(reader.result as ArrayBuffer))
      reader.addEventListener('error', () => reject(reader.error as Error))
      reader.readAsArrayBuffer(slice)
    })
  } catch (error) {
    throw new OptionsError(
      'upload',
      'The Blob to upload cannot be read: it has neither a `stream` nor an `arrayBuffer` method, and a `FileReader` could not read it. The ' +
        'request was aborted.',
      'Pass the bytes of the Blob as a Uint8Array.',
      { cause: error },
    )
  }
}

/** With an async generator, `cancel` takes effect only after a pending `next` has settled. */
export function readIterable(iterable: AsyncIterable<unknown>): Reading {
  const iterator = iterable[Symbol.asyncIterator]()
  return {
    async next() {
      const { done, value } = await iterator.next()
      return done === true ? undefined : toBytes(value)
    },
    cancel() {
      void Promise.resolve(iterator.return?.()).catch(() => undefined)
    },
  }
}

export function exactly(reading: Reading, sizeBytes: number, name: string): Reading {
  let leftBytes = sizeBytes
  return {
    async next() {
      const chunk = await reading.next()
      leftBytes -= chunk?.length ?? 0
      if (leftBytes < 0 || (chunk === undefined && leftBytes > 0)) {
        const actual = leftBytes < 0 ? 'more' : `${leftBytes} fewer`
        throw new OptionsError(
          'sizeBytes',
          `is ${sizeBytes} bytes, but ${name} has ${actual}, so the request was aborted.`,
          'If you passed a file path, do not change the file while it is being sent. Otherwise, pass the exact size, or omit `sizeBytes`.',
        )
      }
      return chunk
    },
    cancel: () => reading.cancel(),
  }
}

export async function* iterate(reading: Reading): AsyncGenerator<Uint8Array> {
  try {
    for (let chunk = await reading.next(); chunk !== undefined; chunk = await reading.next()) yield chunk
  } finally {
    reading.cancel()
  }
}
