import { DownloadError } from '../core/errors.ts'
import { ByteQueue } from './buffered-response.ts'
import type { Content, DownloadTarget, StreamedDownload } from './download.ts'

/** A target that keeps a download in memory. */
export class MemoryTarget implements DownloadTarget {
  readonly #queue = new ByteQueue()

  async write(chunk: Uint8Array): Promise<void> {
    this.#queue.push(chunk)
  }

  async restart(): Promise<void> {
    this.#queue.clear()
  }

  async finish(): Promise<string> {
    return ''
  }

  /** Returns the whole content, with its media type. */
  blob(contentType = ''): Blob {
    return new Blob([...this.#queue.pieces()] as BlobPart[], { type: contentType })
  }

  /** Returns the whole content as text, without a byte order mark; `undefined` if it isn't UTF-8. */
  text(): string | undefined {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    try {
      const parts = this.#queue.pieces().map((piece) => decoder.decode(piece, { stream: true }))
      return parts.join('') + decoder.decode()
    } catch {
      return undefined
    }
  }
}

/** A target that passes on a download while it arrives. Each write waits for the reader. */
export class StreamTarget implements DownloadTarget {
  readonly #begun = Promise.withResolvers<StreamedDownload>()
  readonly #left = new AbortController()
  readonly #body: ReadableStream<Uint8Array>
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #room = Promise.withResolvers<void>()
  #bytesPassedOn = 0

  constructor() {
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#room.resolve(),
        cancel: (reason) => {
          this.#left.abort(reason)
          this.#room.resolve()
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Resolves once the server has begun to send the content. */
  get begun(): Promise<StreamedDownload> {
    return this.#begun.promise
  }

  /** Aborted when the reader cancels. */
  get left(): AbortSignal {
    return this.#left.signal
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#room.promise
    this.#room = Promise.withResolvers<void>()
    this.#bytesPassedOn += chunk.length
    this.#controller.enqueue(chunk)
  }

  async restart({ contentType, totalBytes }: Content): Promise<void> {
    if (this.#bytesPassedOn > 0) {
      throw new DownloadError(
        `The download was interrupted after ${this.#bytesPassedOn} bytes, and the server can only send the content from ` +
          'the start. The first bytes were already read from the stream, so start a new download.',
        { failure: 'interrupted', bytesSoFar: this.#bytesPassedOn },
      )
    }
    this.#begun.resolve({
      ...(contentType !== undefined && { contentType }),
      ...(totalBytes !== undefined && { totalBytes }),
      body: this.#body,
    })
  }

  async finish(): Promise<string> {
    this.#controller.close()
    return ''
  }

  /** Ends the stream with an error. If the content hasn't begun, `begun` rejects with this error. */
  fail(error: unknown): void {
    this.#begun.reject(error)
    this.#controller.error(error)
  }
}
