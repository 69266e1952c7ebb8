import type { DownloadOptions } from './download-options.ts'
import type { DownloadTarget } from './download-target.ts'

/** How a text is read. `maxBytes` is the client's `maxResponseBytes` unless it is given. @public */
export type ReadTextOptions = Omit<DownloadOptions, 'sha256'>

/** Keeps a download in memory. */
export class MemoryTarget implements DownloadTarget {
  #chunks: Uint8Array[] = []

  async write(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk)
  }

  async restart(): Promise<void> {
    this.#chunks = []
  }

  async sha256(): Promise<string> {
    const bytes = await new Blob(this.#chunks as BlobPart[]).arrayBuffer()
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
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
    return new Blob(this.#chunks as BlobPart[], { type: contentType })
  }

  /** All of it as text, a byte order mark left out. */
  text(): string {
    const decoder = new TextDecoder()
    return this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
  }
}
