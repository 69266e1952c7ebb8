import { OptionsError } from '../core/errors.ts'

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
  if (chunk instanceof Uint8Array) return chunk
  if (typeof chunk === 'string') return encoder.encode(chunk)
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk)
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
