import type { Content } from './download-content.ts'

/** Where a download is written. Nothing is at the final place until all of it is. */
export interface DownloadTarget {
  write(chunk: Uint8Array): Promise<void>
  /**
   * The content starts, or starts over: forgets what was written.
   *
   * @param name - The name of the file, without any folder, if it depends on the content.
   * @throws OptionsError when there can be no file of that name.
   */
  restart(content: Content, name?: string): Promise<void>
  /** The digest of what was written, in hexadecimal. */
  sha256(): Promise<string>
  /** Puts it in its final place, and returns its path. */
  finish(): Promise<string>
  /** Leaves nothing behind. */
  discard(): Promise<void>
}
