import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { OptionsError } from '@concord/runtime'
import { requiredString } from '@concord/runtime/internal'

import type { Sink } from './service.ts'

/** A result that can download its own files, such as a result of the media client. @public */
export interface DownloadableResult {
  download(options: {
    readonly folder: string
    readonly signal: AbortSignal
    readonly nameOf: (output: { readonly index: number; readonly count: number }) => string
  }): Promise<readonly { readonly path: string; readonly sizeBytes: number }[]>
}

/**
 * Stores results in a folder that all workers share. If a result has a `download` method, the sink calls it. Any
 * other result becomes a JSON file. Files are named after the job. If a result is stored again, each file is
 * replaced in one step, so no reader sees half a file.
 *
 * If the folder or the JSON file can't be written, the sink throws an `OptionsError`. The fleet makes at most 5
 * attempts to store a result.
 *
 * @throws OptionsError if `folder` is empty or not a string.
 * @public
 */
export function folderSink(folder: string): Sink<unknown> {
  requiredString(folder, 'folder', 'Pass the path of the folder to store results in.')
  return async (result, job) => {
    await mkdir(folder, { recursive: true }).catch((error: unknown) => {
      throw notWritable(folder, error)
    })
    const name = safeName(job.name)
    if (isDownloadable(result)) {
      const files = await result.download({
        folder,
        signal: job.signal,
        // With `-` instead of `_`, file 1 of job `a-1` would have the same name as the only file of job `a-1-1`.
        nameOf: ({ index, count }) => (count === 1 ? name : `${name}_${index + 1}`),
      })
      return { files: files.map(({ path, sizeBytes }) => ({ path, sizeBytes })) }
    }
    const path = join(folder, `${name}.json`)
    const temporary = join(folder, `.${name}.${randomUUID()}`)
    const text = `${JSON.stringify(result, undefined, 2)}\n`
    try {
      // Once this function returns, the job counts as stored, so the file must survive a power failure.
      await writeFile(temporary, text, { flush: true })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined)
      throw notWritable(folder, error)
    }
    return { files: [{ path, sizeBytes: Buffer.byteLength(text) }] }
  }
}

function notWritable(folder: string, cause: unknown): OptionsError {
  const { code = 'unknown reason' } = cause as NodeJS.ErrnoException
  return new OptionsError(
    'folder',
    `\`folder\` ${JSON.stringify(folder)} cannot be written (${code}).`,
    'Pass a folder that has enough space and that every worker can write to.',
    { cause },
  )
}

function isDownloadable(result: unknown): result is DownloadableResult {
  return typeof (result as { readonly download?: unknown } | null)?.download === 'function'
}

const MAX_LENGTH = 200

/**
 * Turns the name of a job into a file name. The job's name contains the batch's name, and a batch name such as
 * `/../../x` must not lead outside the folder. A truncated name gets a digest, because the names of the jobs in a
 * batch differ only at the end.
 */
function safeName(name: string): string {
  const safe = encodeURIComponent(name.toWellFormed()).replaceAll('.', '%2E')
  if (safe.length <= MAX_LENGTH) return safe
  const digest = createHash('sha256').update(name).digest('hex')
  return `${safe.slice(0, MAX_LENGTH - digest.length - 1)}-${digest}`
}
