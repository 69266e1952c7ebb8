import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OptionsError } from '../core/errors.ts'
import type { Content, DownloadTarget } from '../http/download.ts'
import { exactly, readIterable, type UploadSource } from '../http/upload-source.ts'

const READ_REASONS: Readonly<Record<string, string>> = {
  ENOENT: "the file doesn't exist",
  EISDIR: 'it is a folder',
  EACCES: 'permission to read was denied',
  EPERM: 'permission to read was denied',
}

/** Larger than a stream's default, so that fewer reads are needed. */
const PIECE_BYTES = 262_144

/**
 * Returns the file as an upload source, or a string that says why the file can't be read. The source opens the file
 * again for each read.
 */
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
    return explain(path, READ_REASONS[code ?? ''] ?? `it cannot be opened (${code ?? 'unknown reason'})`)
  }
  return {
    filename: basename(path),
    contentType: undefined,
    sizeBytes,
    replayable: true,
    read() {
      const stream = createReadStream(path, { highWaterMark: PIECE_BYTES })
      const reading = exactly(readIterable(stream), sizeBytes, JSON.stringify(basename(path)))
      return { next: () => reading.next(), cancel: () => void stream.destroy() }
    },
  }
}

function explain(path: string, reason: string): string {
  return `cannot be read from ${JSON.stringify(path)}: ${reason}`
}

/** Opens a temporary file in the target's folder, so that the final rename is atomic. */
export async function openTarget(path: string): Promise<DownloadTarget> {
  await checkTarget(path)
  return openBeside(path)
}

/**
 * Opens a temporary file in a folder, and creates the folder if it is missing. The final name of the file is set
 * when the content arrives.
 */
export async function openTargetIn(folder: string): Promise<DownloadTarget> {
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    throw notWritable(error, folder, 'folder')
  }
  return openBeside(join(folder, 'download'), 'folder')
}

async function openBeside(path: string, option: 'path' | 'folder' = 'path'): Promise<DownloadTarget> {
  // File systems limit the length of names, so `partial` contains only the start of the target's name.
  const partial = join(dirname(path), `.${basename(path).slice(0, 40)}.${randomUUID().slice(0, 8)}.part`)
  try {
    return new PartialFile(path, partial, await open(partial, 'wx+'))
  } catch (error) {
    throw notWritable(error, option === 'folder' ? dirname(path) : path, option)
  }
}

/** @throws OptionsError if the path is a folder or its name is too long. */
async function checkTarget(path: string): Promise<void> {
  const existing = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENAMETOOLONG') throw notWritable(error, path)
    return undefined
  })
  if (existing?.isDirectory() !== true) return
  throw new OptionsError('path', 'is a folder.', 'Pass the path of the file to write, including its name.')
}

const WRITE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'one of its parent folders is a file',
  EEXIST: 'it is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission to write was denied',
  EPERM: 'permission to write was denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'its name is too long',
}

function notWritable(error: unknown, path: string, option: 'path' | 'folder' = 'path'): OptionsError {
  const { code = 'unknown reason' } = error as NodeJS.ErrnoException
  return new OptionsError(
    option,
    `\`${option}\` ${JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}…` : path)} cannot be written: ${WRITE_REASONS[code] ?? code}.`,
    'Solve this problem, or pass another path.',
  )
}

class PartialFile implements DownloadTarget {
  #path: string
  readonly #partial: string
  readonly #handle: FileHandle
  #at = 0

  constructor(path: string, partial: string, handle: FileHandle) {
    this.#path = path
    this.#partial = partial
    this.#handle = handle
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let done = 0; done < chunk.length;) {
      const { bytesWritten } = await this.#explained(
        this.#handle.write(chunk, done, chunk.length - done, this.#at),
      )
      done += bytesWritten
      this.#at += bytesWritten
    }
  }

  async restart(_content: Content, name?: string): Promise<void> {
    if (name !== undefined) {
      this.#path = join(dirname(this.#path), name)
      await checkTarget(this.#path)
    }
    await this.#explained(this.#handle.truncate(0))
    this.#at = 0
  }

  async sha256(): Promise<string> {
    const hash = createHash('sha256')
    const read = async (): Promise<void> => {
      const stream = this.#handle.createReadStream({ start: 0, autoClose: false })
      for await (const chunk of stream) hash.update(chunk as Buffer)
    }
    await this.#explained(read())
    return hash.digest('hex')
  }

  async finish(): Promise<string> {
    await this.#explained(this.#handle.sync())
    await this.#explained(this.#handle.close())
    await this.#explained(rename(this.#partial, this.#path))
    return this.#path
  }

  /** Never rejects: an error here must not replace the result or the error of the download. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined)
    await rm(this.#partial, { force: true }).catch(() => undefined)
  }

  async #explained<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } catch (error) {
      throw notWritable(error, this.#path)
    }
  }
}
