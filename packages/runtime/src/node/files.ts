import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { exactly, readIterable, type UploadSource } from '../http/upload-source.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
}

/** Larger pieces than a stream reads by default: fewer turns for the same bytes. */
const PIECE_BYTES = 262_144

export { openTarget, openTargetIn } from './download-file.ts'

/** Looks at a file that is to be uploaded, or says why it cannot be. It is opened again for each time it is read. */
export async function openUpload(path: string): Promise<UploadSource | string> {
  let sizeBytes: number
  try {
    const handle = await open(path)
    try {
      const stats = await handle.stat()
      if (stats.isDirectory()) return explain(path, 'it is a folder')
      if (!stats.isFile()) return explain(path, 'it is no plain file; give a stream instead')
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
