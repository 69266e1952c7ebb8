import { createHash, randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The files that are uploaded, in a folder that goes with the handle. */
export interface UploadFiles extends Disposable {
  /** For checking that the file arrives as it is. */
  readonly small: UploadFile
  /** For measuring. */
  readonly large: UploadFile
}

export interface UploadFile {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
}

const SMALL_BYTES = 3_000_001

export function makeUploadFiles(largeBytes: number): UploadFiles {
  const folder = mkdtempSync(join(tmpdir(), 'concord-bench-'))
  return {
    small: makeFile(join(folder, 'small.pdf'), SMALL_BYTES),
    large: makeFile(join(folder, 'large.pdf'), largeBytes),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Written, not only reserved: the system would read a hole without touching memory. */
function makeFile(path: string, sizeBytes: number): UploadFile {
  const block = randomBytes(Math.min(sizeBytes, 4_000_000))
  const hash = createHash('sha256')
  const file = openSync(path, 'w')
  for (let left = sizeBytes; left > 0; left -= block.length) {
    const piece = block.subarray(0, left)
    hash.update(piece)
    writeSync(file, piece)
  }
  closeSync(file)
  return { path, sizeBytes, sha256: hash.digest('hex') }
}
