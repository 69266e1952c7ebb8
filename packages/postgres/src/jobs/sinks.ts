import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { requiredString } from '@concord/runtime/internal'

import type { Sink } from './service.ts'

/** A result that can download its own files, like those of the media client. @public */
export interface DownloadableResult {
  download(options: {
    readonly folder: string
    readonly signal: AbortSignal
    readonly nameOf: (output: { readonly index: number; readonly count: number }) => string
  }): Promise<readonly { readonly path: string; readonly sizeBytes: number }[]>
}

/**
 * Stores results in a folder, which all workers must share. A result with files is downloaded; any other result becomes a JSON
 * file. Files are named after the job, and are replaced as a whole if a job is stored again.
 *
 * @public
 */
export function folderSink(folder: string): Sink<unknown> {
  requiredString(folder, 'folder', 'Pass the path of the folder to store results in.')
  return async (result, job) => {
    await mkdir(folder, { recursive: true })
    const name = safeName(job.name)
    if (isDownloadable(result)) {
      const files = await result.download({
        folder,
        signal: job.signal,
        // Not a hyphen: the first file of a job of the batch `a` would have the name of a job of the batch `a-1`.
        nameOf: ({ index, count }) => (count === 1 ? name : `${name}_${index + 1}`),
      })
      return { files: files.map(({ path, sizeBytes }) => ({ path, sizeBytes })) }
    }
    const path = join(folder, `${name}.json`)
    const temporary = join(folder, `.${name}.${randomUUID()}`)
    const text = `${JSON.stringify(result, undefined, 2)}\n`
    try {
      await writeFile(temporary, text)
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    return { files: [{ path, sizeBytes: Buffer.byteLength(text) }] }
  }
}

function isDownloadable(result: unknown): result is DownloadableResult {
  return typeof (result as { readonly download?: unknown } | null)?.download === 'function'
}

const MAX_LENGTH = 200

/**
 * Makes the name of a job safe as the name of a file: the caller chose the name of its batch, which must not lead outside the
 * folder. A long name ends with a digest, because its own end is what distinguishes the jobs of a batch.
 */
function safeName(name: string): string {
  const safe = encodeURIComponent(name.toWellFormed()).replaceAll('.', '%2E')
  if (safe.length <= MAX_LENGTH) return safe
  const digest = createHash('sha256').update(name).digest('hex')
  return `${safe.slice(0, MAX_LENGTH - digest.length - 1)}-${digest}`
}
