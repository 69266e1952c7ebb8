import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const BLOCK_BYTES = 512
const FILE = '0'

/** Reads the files of an npm tarball, by their path in the package. */
export function readTarball(path: string): ReadonlyMap<string, Buffer> {
  const data = gunzipSync(readFileSync(path))
  const files = new Map<string, Buffer>()
  for (let at = 0; at + BLOCK_BYTES <= data.length && data[at] !== 0;) {
    const text = (start: number, length: number) =>
      data.toString('utf8', at + start, at + start + length).replace(/\0.*$/s, '')
    const sizeBytes = Number.parseInt(text(124, 12), 8)
    const name = [text(345, 155), text(0, 100)].filter(Boolean).join('/')
    const type = text(156, 1)
    if (type !== FILE)
      throw new Error(`${path}: ${name} is an entry of type ${type}; only files are expected.`)
    files.set(name.replace(/^package\//, ''), data.subarray(at + BLOCK_BYTES, at + BLOCK_BYTES + sizeBytes))
    at += BLOCK_BYTES + Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES
  }
  return files
}
