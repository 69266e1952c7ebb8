import { CodingError, type Decode } from './content-coding.ts'

/** The names that `DecompressionStream` has for codings. Hosts differ in which of them they know. */
const FORMATS: Readonly<Record<string, string>> = {
  gzip: 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
}

/** A host may decode a whole piece at once, so pieces are short: a few kilobytes can become megabytes. */
const PIECE_BYTES = 4_096

/** What decodes a content coding; `undefined` where the host has nothing for it. */
export function openDecoder(coding: string): Decode | undefined {
  const format = FORMATS[coding]
  if (format === undefined || start(format) === undefined) return undefined
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

/** `deflate` means the zlib format, but some servers send the bare one (RFC 9110, section 8.4.1.2). */
export function isRaw(firstPiece: Uint8Array): boolean {
  return ((firstPiece[0] ?? 0) & 0x0f) !== 0x08
}

/** A decompression under way. Nothing is read from the source while what came of the last piece is still to be taken. */
class Running {
  readonly #writer: WritableStreamDefaultWriter<BufferSource>
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #reading: Promise<ReadableStreamReadResult<Uint8Array>> | undefined = undefined

  constructor(format: string) {
    const stream = new DecompressionStream(format as CompressionFormat)
    this.#writer = stream.writable.getWriter()
    this.#reader = stream.readable.getReader()
    this.#writer.closed.catch(() => undefined)
    this.#reader.closed.catch(() => undefined)
  }

  write(piece: Uint8Array): AsyncGenerator<Uint8Array> {
    return this.#take(this.#writer.write(piece as Uint8Array<ArrayBuffer>), false)
  }

  end(): AsyncGenerator<Uint8Array> {
    return this.#take(this.#writer.close(), true)
  }

  async *#take(work: Promise<void>, toEnd: boolean): AsyncGenerator<Uint8Array> {
    const written = work.then(() => undefined)
    // At the end a failure to close shows in the reader too.
    if (toEnd) written.catch(() => undefined)
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
      this.#reading?.catch(() => undefined)
      written.catch(() => undefined)
      throw new CodingError(toEnd, { cause: error })
    }
  }

  cancel(): void {
    this.#reading?.catch(() => undefined)
    this.#reader.cancel().catch(() => undefined)
    this.#writer.abort().catch(() => undefined)
  }
}
