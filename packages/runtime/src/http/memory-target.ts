import { ByteQueue } from './byte-queue.ts'
import type { DownloadOptions } from './download-options.ts'
import type { DownloadTarget } from './download-target.ts'

/** How a text is read. `maxBytes` is the client's `maxResponseBytes` unless it is given. @public */
export type ReadTextOptions = Omit<DownloadOptions, 'sha256'>

/** Keeps a download in memory. */
export class MemoryTarget implements DownloadTarget {
  readonly #queue = new ByteQueue()

  async write(chunk: Uint8Array): Promise<void> {
    this.#queue.push(chunk)
  }

  async restart(): Promise<void> {
    this.#queue.clear()
  }

  async sha256(): Promise<string> {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', this.#queue.join()))
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  }

  async finish(): Promise<string> {
    return ''
  }

  async discard(): Promise<void> {
    // What is in memory is let go of with the target.
  }

  /** All of it, with the media type that came with it. */
  blob(contentType = ''): Blob {
    return new Blob([...this.#queue.pieces()] as BlobPart[], { type: contentType })
  }

  /** All of it as text, without a byte order mark; `undefined` when it is not UTF-8. */
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
