import type { Content } from './download-content.ts'

/** Where a download is written. Nothing is at the final place until all of it is. */
export interface DownloadTarget {
  write(chunk: Uint8Array): Promise<void>
  /** The content starts, or starts over: forgets what was written. */
  restart(content: Content): Promise<void>
  /** The digest of what was written, in hexadecimal. */
  sha256(): Promise<string>
  /** Puts it in its final place, and answers its path. A name is that of a file in the same folder. */
  finish(name?: string): Promise<string>
  /** Leaves nothing behind. */
  discard(): Promise<void>
}
