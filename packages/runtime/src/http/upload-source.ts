import { type Issue } from '../core/errors.ts'
import { load } from '../core/load.ts'
import { asBytes, isBlob, isStream } from './binary.ts'
import { exactly, readBlobPieces, type Reading, readBytes, readIterable, readStream } from './reading.ts'

export { iterate } from './reading.ts'

/**
 * Bytes to send: the path of a file, bytes, a Blob or a stream; or one of these together with its
 * file name, media type and length, where they are known. A path can be used only where there are files.
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

/** Bytes, a Blob or a stream of bytes. @public */
export type BinaryContent =
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>

/** Something to upload, ready to be read. */
export interface UploadSource {
  readonly filename: string | undefined
  readonly contentType: string | undefined
  readonly sizeBytes: number | undefined
  /** Whether it can be read more than once. */
  readonly replayable: boolean
  /** All of it, where it is at hand. */
  readonly whole?: Blob | Uint8Array<ArrayBuffer>
  read(): Reading
}

/** Where a value stands in the input, for messages. */
export type Place = string

/** Makes a source of an input, or says why it cannot be read. A path is looked at now and opened later. */
export function toUploadSource(
  input: unknown,
  place: Place,
): UploadSource | Issue | Promise<UploadSource | Issue> {
  if (typeof input === 'string') return fromPath(input, place, {})
  const plain = fromContent(input, {})
  if (plain !== undefined) return plain
  if (typeof input === 'object' && input !== null && 'content' in input) {
    const said = input as Described
    if (typeof input.content === 'string') return fromPath(input.content, place, said)
    const described = fromContent(input.content, said)
    if (described !== undefined) return described
  }
  return { path: place, reason: 'must be the path of a file, bytes, a Blob or a stream' }
}

interface Described {
  readonly filename?: string | undefined
  readonly contentType?: string | undefined
  readonly sizeBytes?: number | undefined
}

/** Loaded only when a path is given, since not every host has files. */
async function fromPath(path: string, place: Place, said: Described): Promise<UploadSource | Issue> {
  const { openUpload } = await load(import('#files'))
  const source = await openUpload(path)
  if (typeof source === 'string') return { path: place, reason: source }
  const { filename = source.filename, contentType = source.contentType } = said
  return { ...source, filename, contentType }
}

function fromContent(content: unknown, said: Described): UploadSource | undefined {
  const bytes = asBytes(content)
  if (bytes !== undefined) return fromBytes(bytes, said)
  if (isBlob(content)) {
    const filename =
      said.filename ?? ('name' in content && typeof content.name === 'string' ? content.name : undefined)
    return {
      filename,
      contentType: said.contentType ?? (content.type === '' ? undefined : content.type),
      sizeBytes: content.size,
      replayable: true,
      // A host sends Blobs of its own as a whole, and no others.
      ...(content instanceof Blob && typeof content.stream === 'function' ? { whole: content } : undefined),
      read: () => readBlobPieces(content),
    }
  }
  if (isStream(content)) return fromStream(() => readStream(content), said)
  if (typeof content === 'object' && content !== null && Symbol.asyncIterator in content) {
    return fromStream(() => readIterable(content as AsyncIterable<unknown>), said)
  }
  return undefined
}

function fromBytes(bytes: Uint8Array, { filename, contentType }: Described): UploadSource {
  return {
    filename,
    contentType,
    sizeBytes: bytes.length,
    replayable: true,
    whole: bytes as Uint8Array<ArrayBuffer>,
    read: () => readBytes(bytes),
  }
}

function fromStream(read: () => Reading, { filename, contentType, sizeBytes }: Described): UploadSource {
  return {
    filename,
    contentType,
    sizeBytes,
    replayable: false,
    read: () => (sizeBytes === undefined ? read() : exactly(read(), sizeBytes, filename ?? 'stream')),
  }
}
