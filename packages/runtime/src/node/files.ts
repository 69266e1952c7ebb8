import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { exactly, readIterable, type UploadSource } from '../http/upload-source.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "the file doesn't exist",
  EISDIR: 'it is a folder',
  EACCES: 'permission to read was denied',
  EPERM: 'permission to read was denied',
}

/** Larger than a stream's default, so that fewer reads are needed for the same bytes. */
const PIECE_BYTES = 262_144

export { openTarget, openTargetIn } from './download-file.ts'

/** Inspects a file to upload, or says why it can't be uploaded. The file is opened again each time it is read. */
export async function openUpload(path: string): Promise<UploadSource | string> {
  let sizeBytes: number
  try {
    const handle = await open(path)
    try {
      const stats = await handle.stat()
      if (stats.isDirectory()) return explain(path, 'it is a folder')
      if (!stats.isFile()) return explain(path, 'it is not a regular file; pass a stream instead')
      sizeBytes = stats.size
    } finally {
      await handle.close()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return explain(path, REASONS[code ?? ''] ?? `it cannot be opened (${code ?? 'unknown reason'})`)
  }
  return {
    filename: basename(path),
    contentType: undefined,
    sizeBytes,
    replayable: true,
    read() {
      const stream = createReadStream(path, { highWaterMark: PIECE_BYTES })
      const reading = exactly(readIterable(stream), sizeBytes, basename(path))
      return { next: () => reading.next(), cancel: () => void stream.destroy() }
    },
  }
}

function explain(path: string, reason: string): string {
  return `cannot be read from ${JSON.stringify(path)}: ${reason}`
}
