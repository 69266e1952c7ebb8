import { OptionsError } from '../core/errors.ts'
import { asBytes } from './binary.ts'

/** Bytes that are being read. Unlike an async iterator it can be told at any time that no more are wanted. */
export interface Reading {
  /** The next bytes; `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>
  /** Lets go of what is read from, also while `next` is waiting. */
  cancel(): void
}

const encoder = new TextEncoder()

/** A chunk as bytes; streams in text mode give strings. */
function toBytes(chunk: unknown): Uint8Array {
  const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : asBytes(chunk)
  if (bytes !== undefined) return bytes
  throw new OptionsError(
    'upload',
    'The `upload` stream produced a chunk that is neither bytes nor a string, so the request was given up.',
    'Pass a stream of Uint8Array.',
  )
}

/** Reads bytes that are at hand, in pieces that do not crowd the connection. */
export function readBytes(bytes: Uint8Array, pieceBytes = 65_536): Reading {
  let at = 0
  return {
    async next() {
      if (at >= bytes.length) return undefined
      const piece = bytes.subarray(at, at + pieceBytes)
      at += piece.length
      return piece
    },
    cancel() {
      at = bytes.length
    },
  }
}

/** Reads a web stream. */
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

/** How much is read at once of a Blob that has no stream. */
const SLICE_BYTES = 2 ** 20

/** Reads a Blob: as a stream if it has one, otherwise slice by slice. */
export function readBlobPieces(blob: Blob): Reading {
  if (typeof blob.stream === 'function') return readStream(blob.stream())
  let at = 0
  return {
    async next() {
      if (at >= blob.size) return undefined
      const slice = blob.slice(at, at + SLICE_BYTES)
      at += SLICE_BYTES
      return new Uint8Array(await readSlice(slice))
    },
    cancel() {
      at = blob.size
    },
  }
}

/** The Blobs of some hosts (React Native, jsdom) have none of their own methods for reading. */
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
      'The Blob to upload cannot be read on this host: it has no `stream` and no `arrayBuffer`, and there is no FileReader ' +
        'that reads it. The request was given up.',
      'Pass its bytes as a Uint8Array.',
      { cause: error },
    )
  }
}

/** Reads an async iterable. One that is waiting can only be told when it comes back. */
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

/** Holds a reading to a length: what is sent must be what was announced. */
export function exactly(reading: Reading, sizeBytes: number, name: string): Reading {
  let leftBytes = sizeBytes
  return {
    async next() {
      const chunk = await reading.next()
      leftBytes -= chunk?.length ?? 0
      if (leftBytes < 0 || (chunk === undefined && leftBytes > 0)) {
        const actual = leftBytes < 0 ? 'more' : `${leftBytes} less`
        throw new OptionsError(
          'sizeBytes',
          `\`sizeBytes\` announces ${sizeBytes} bytes, but ${name} has ${actual}, so the request was given up.`,
          'Pass the exact length, or omit it; a file must not change while it is sent.',
        )
      }
      return chunk
    },
    cancel: () => reading.cancel(),
  }
}

/** A reading as an iterable. Leaving the loop ends the reading. */
export async function* iterate(reading: Reading): AsyncGenerator<Uint8Array> {
  try {
    for (let chunk = await reading.next(); chunk !== undefined; chunk = await reading.next()) yield chunk
  } finally {
    reading.cancel()
  }
}
