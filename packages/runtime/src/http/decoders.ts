import { CodingError, type Decode } from './content-coding.ts'

/** Maps content codings to their names in `DecompressionStream`. Not every platform supports all formats. */
const FORMATS: Readonly<Record<string, string>> = {
  gzip: 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
}

/**
 * The maximum length of the pieces to decode. Pieces are short because a platform may decode a whole piece at once,
 * and a few kilobytes can become megabytes.
 */
const PIECE_BYTES = 4_096

/**
 * Node's error code for invalid content. Node sometimes reports invalid content late, at the end of the stream. Any
 * other error at the end means that the body was cut short. Browsers report invalid content at once, without a code.
 */
const INVALID_CODE = 'Z_DATA_ERROR'

/** Returns the decoder for a content coding; `undefined` if the platform has none. */
export function openDecoder(coding: string): Decode | undefined {
  const format = FORMATS[coding] ?? ''
  if (start(format) === undefined) return undefined
  return (source) => decode(format, source)
}

function start(format: string): DecompressionStream | undefined {
  try {
    return new DecompressionStream(format as CompressionFormat)
  } catch {
    return undefined
  }
}

async function* decode(format: string, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let running: Running | undefined
  try {
    for await (const piece of source) {
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        running ??= new Running(format === 'deflate' && isRaw(piece) ? 'deflate-raw' : format)
        yield* running.write(piece.subarray(at, at + PIECE_BYTES))
      }
    }
    if (running !== undefined) yield* running.end()
  } finally {
    running?.cancel()
  }
}

/** `deflate` means the zlib format, but some servers send raw deflate (RFC 9110, section 8.4.1.2). */
export function isRaw(firstPiece: Uint8Array): boolean {
  return ((firstPiece[0] ?? 0) & 0x0f) !== 0x08
}

/** A decompression in progress. Takes the next piece only after all output of the previous piece was consumed. */
class Running {
  readonly #writer: WritableStreamDefaultWriter<BufferSource>
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #reading: Promise<ReadableStreamReadResult<Uint8Array>> | undefined = undefined

  constructor(format: string) {
    const stream = new DecompressionStream(format as CompressionFormat)
    this.#writer = stream.writable.getWriter()
    this.#reader = stream.readable.getReader()
  }

  write(piece: Uint8Array): AsyncGenerator<Uint8Array> {
    return this.#take(this.#writer.write(piece as Uint8Array<ArrayBuffer>), false)
  }

  end(): AsyncGenerator<Uint8Array> {
    return this.#take(this.#writer.close(), true)
  }

  async *#take(work: Promise<void>, toEnd: boolean): AsyncGenerator<Uint8Array> {
    const written = work.then(() => undefined)
    // At the end of the stream, nothing awaits `written`. This line prevents an unhandled rejection.
    written.catch(() => undefined)
    try {
      for (;;) {
        this.#reading ??= this.#reader.read()
        const result = await (toEnd ? this.#reading : Promise.race([this.#reading, written]))
        if (result === undefined) return
        this.#reading = undefined
        if (result.done) return
        yield result.value
      }
    } catch (error) {
      const { code } = error as { readonly code?: unknown }
      throw new CodingError(toEnd && code !== INVALID_CODE, { cause: error })
    }
  }

  cancel(): void {
    this.#reading?.catch(() => undefined)
    this.#reader.cancel().catch(() => undefined)
    this.#writer.abort().catch(() => undefined)
  }
}
