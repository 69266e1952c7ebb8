import type { UploadProgress } from './call-options.ts'
import { CallersOwn } from './attempt.ts'
import type { Reading } from './reading.ts'
import type { StreamedBody } from './transport.ts'

/** A host that does not say how far an upload has come gets the time limit for each of so many bytes. */
const UNSEEN_BYTES = 2 ** 20

/** A piece of an upload. */
export interface Piece {
  /** All of it, where it is at hand. */
  readonly whole?: Blob | Uint8Array<ArrayBuffer> | undefined
  read(): Reading
}

/** What an upload is made of. */
export interface Uploadable {
  readonly sizeBytes: number | undefined
  readonly replayable: boolean
  readonly pieces: readonly Piece[]
}

/** A body that is read while it is sent, and that knows whether it can be sent again. */
export class Upload implements StreamedBody {
  readonly sizeBytes: number | undefined
  /** What the caller's own stream, or function for the progress, threw. */
  failure: CallersOwn | undefined = undefined
  /**
   * Called when the connection has taken a part, with how many time limits the next part may take: 1, but for a whole whose
   * parts are not seen.
   */
  onTaken: ((times: number) => void) | undefined = undefined
  readonly #content: Uploadable
  readonly #onProgress: ((progress: UploadProgress) => void) | undefined
  #touched = false
  #current: Reading | undefined = undefined
  /** Counts what was let go of: a reading of the whole that is overtaken opens nothing more. */
  #released = 0

  constructor(content: Uploadable, onProgress: ((progress: UploadProgress) => void) | undefined) {
    this.sizeBytes = content.sizeBytes
    this.#content = content
    this.#onProgress = onProgress
  }

  /** A stream can be sent only as long as nothing of it was read. */
  replayable(): boolean {
    return this.#content.replayable || !this.#touched
  }

  /** Ends a reading that the transport left in the middle. */
  release(): void {
    this.#released++
    this.onTaken = undefined
    this.#current?.cancel()
    this.#current = undefined
  }

  async *open(): AsyncGenerator<Uint8Array> {
    let bytesSent = 0
    for (const piece of this.#content.pieces) {
      for await (const chunk of this.#read(piece)) {
        yield chunk
        // Asking for more means that the connection has taken this.
        bytesSent += chunk.length
        this.onTaken?.(1)
        this.#tell(bytesSent)
      }
    }
  }

  async whole(): Promise<Blob> {
    const parts: Blob[] = []
    const released = this.#released
    for (const piece of this.#content.pieces) {
      if (piece.whole !== undefined) parts.push(toBlob(piece.whole))
      else
        for await (const chunk of this.#read(piece)) {
          parts.push(toBlob(chunk))
          this.onTaken?.(1)
        }
      if (released !== this.#released) break
    }
    const whole = new Blob(parts)
    this.onTaken?.(Math.ceil(whole.size / UNSEEN_BYTES) || 1)
    return whole
  }

  arrived(sizeBytes: number): void {
    if (sizeBytes > 0) this.#tell(sizeBytes)
  }

  async *#read(piece: Piece): AsyncGenerator<Uint8Array> {
    this.#touched = true
    const reading = (this.#current = piece.read())
    for (let chunk = await this.#next(reading); chunk !== undefined; chunk = await this.#next(reading))
      yield chunk
    this.#current = undefined
  }

  async #next(reading: Reading): Promise<Uint8Array | undefined> {
    try {
      return await reading.next()
    } catch (error) {
      this.failure = new CallersOwn(error)
      throw error
    }
  }

  #tell(bytesSent: number): void {
    const totalBytes = this.sizeBytes
    try {
      this.#onProgress?.(totalBytes === undefined ? { bytesSent } : { bytesSent, totalBytes })
    } catch (error) {
      this.failure = new CallersOwn(error)
      throw error
    }
  }
}

/** A copy, as whoever gave the bytes may use their memory again; of memory that threads share none can be made at once. */
function toBlob(content: Blob | Uint8Array): Blob {
  if (content instanceof Blob) return content
  return new Blob([
    content.buffer instanceof ArrayBuffer ? (content as Uint8Array<ArrayBuffer>) : content.slice(),
  ])
}
