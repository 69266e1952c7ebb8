import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const BLOCK_BYTES = 512

interface TarEntry {
  /** The path without `package/`, the folder in which npm puts all files. */
  readonly path: string
  readonly isFile: boolean
  readonly content: Buffer
}

/**
 * Yields the entries of a gzipped tar archive in the ustar format (POSIX.1-1988), which `npm pack` writes.
 *
 * @throws Error if the file isn't in this format.
 */
export function* readTarball(file: string): Generator<TarEntry> {
  const archive = gunzipSync(readFileSync(file))
  for (let at = 0; at + BLOCK_BYTES <= archive.length && archive[at] !== 0;) {
    const field = (start: number, length: number): string =>
      archive.toString('utf8', at + start, at + start + length).replace(/\0.*$/s, '')
    const sizeBytes = Number.parseInt(field(124, 12).trim() || '0', 8)
    if (!Number.isInteger(sizeBytes) || field(257, 5) !== 'ustar')
      throw new Error(`${file} is not a tar archive`)
    const path = [field(345, 155), field(0, 100)].filter(Boolean).join('/')
    const start = at + BLOCK_BYTES
    yield {
      path: path.replace(/^package\//, ''),
      isFile: ['0', ''].includes(field(156, 1)),
      content: archive.subarray(start, start + sizeBytes),
    }
    at = start + Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES
  }
}
