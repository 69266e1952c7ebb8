import { DownloadError } from '../core/errors.ts'
import type { Content } from './download-content.ts'
import type { DownloadTarget } from './download-target.ts'

/** A download that is read while it arrives. @public */
export interface StreamedDownload {
  /** The media type, if the server sent one. */
  readonly contentType?: string
  /** If the server sent a length. */
  readonly totalBytes?: number
  /**
   * The content. It is fetched as fast as it is read, and an interrupted download is resumed if the server allows.
   * Cancelling it ends the download. It errors with what {@link readBlob} would throw.
   */
  readonly body: ReadableStream<Uint8Array>
}

/** Passes a download on while it arrives; writing waits for the reader. */
export class StreamTarget implements DownloadTarget {
  readonly #begun = Promise.withResolvers<StreamedDownload>()
  readonly #left = new AbortController()
  readonly #body: ReadableStream<Uint8Array>
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #room = Promise.withResolvers<void>()
  #bytesPassedOn = 0
  #ended = false

  constructor() {
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#room.resolve(),
        cancel: (reason) => {
          this.#ended = true
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
    if (this.#ended) return
    this.#room = Promise.withResolvers<void>()
    this.#bytesPassedOn += chunk.length
    this.#controller.enqueue(chunk)
  }

  async restart({ contentType, totalBytes }: Content): Promise<void> {
    if (this.#bytesPassedOn > 0) {
      throw new DownloadError(
        `The download was interrupted after ${this.#bytesPassedOn} bytes, and the server can only send it from the ` +
          'start. Those bytes were already read from the stream, so start a new download.',
        { failure: 'interrupted', bytesSoFar: this.#bytesPassedOn },
      )
    }
    this.#begun.resolve({
      ...(contentType !== undefined && { contentType }),
      ...(totalBytes !== undefined && { totalBytes }),
      body: this.#body,
    })
  }

  sha256(): Promise<string> {
    return Promise.reject(new TypeError('a stream is read before all of it can be checked'))
  }

  async finish(): Promise<string> {
    if (!this.#ended) this.#controller.close()
    this.#ended = true
    return ''
  }

  async discard(): Promise<void> {
    // Whatever was passed on belongs to the reader.
  }

  /** Ends the stream with an error; before the content has begun, `begun` rejects with it. */
  fail(error: unknown): void {
    this.#begun.reject(error)
    if (!this.#ended) this.#controller.error(error)
    this.#ended = true
  }
}
