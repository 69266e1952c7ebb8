import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

import { CodingError, type Decode } from '../http/content-coding.ts'
import { isRaw } from '../http/decoders.ts'

/** Not every JavaScript environment that identifies as Node has zstd. */
const { createZstdDecompress } = zlib as Partial<typeof zlib>

const MAKERS: Readonly<Record<string, ((firstPiece: Uint8Array) => Transform) | undefined>> = {
  gzip: () => zlib.createGunzip(),
  deflate: (piece) => (isRaw(piece) ? zlib.createInflateRaw() : zlib.createInflate()),
  br: () => zlib.createBrotliDecompress(),
  zstd: createZstdDecompress === undefined ? undefined : () => createZstdDecompress(),
}

/** zlib's error code for truncated content. */
const CUT_CODE = 'Z_BUF_ERROR'

export function openDecoder(coding: string): Decode | undefined {
  const make = Object.hasOwn(MAKERS, coding) ? MAKERS[coding] : undefined
  return make === undefined ? undefined : (source) => decode(make, source)
}

async function* decode(
  make: (firstPiece: Uint8Array) => Transform,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let running: Running | undefined
  try {
    for await (const piece of source) {
      if (piece.length === 0) continue
      running ??= new Running(make(piece))
      yield* running.write(piece)
    }
    if (running !== undefined) yield* running.end()
  } finally {
    running?.destroy()
  }
}

/** A decompression in progress. The next piece is read after all output of the previous piece has been consumed. */
class Running {
  readonly #transform: Transform
  #wake: (() => void) | undefined = undefined
  #error: NodeJS.ErrnoException | undefined = undefined
  #ended = false

  constructor(transform: Transform) {
    this.#transform = transform
    transform.on('readable', () => this.#wake?.())
    transform.on('end', () => {
      this.#ended = true
      this.#wake?.()
    })
    transform.on('error', (error) => {
      this.#error = error
      this.#wake?.()
    })
  }

  async *write(piece: Uint8Array): AsyncGenerator<Uint8Array> {
    // Ignores padding after the end of the content.
    if (this.#ended) return
    let written = false
    this.#transform.write(piece, () => {
      written = true
      this.#wake?.()
    })
    yield* this.#take(() => written)
  }

  async *end(): AsyncGenerator<Uint8Array> {
    if (this.#ended) return
    this.#transform.end()
    yield* this.#take(() => false)
  }

  async *#take(enough: () => boolean): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = this.#transform.read() as Buffer | null
      if (piece !== null) yield piece
      else if (this.#error !== undefined)
        throw new CodingError(this.#error.code === CUT_CODE, { cause: this.#error })
      else if (this.#ended || enough()) return
      else {
        await new Promise<void>((resolve) => (this.#wake = resolve))
        this.#wake = undefined
      }
    }
  }

  destroy(): void {
    this.#transform.destroy()
  }
}
