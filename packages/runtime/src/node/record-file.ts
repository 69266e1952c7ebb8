import { constants } from 'node:fs'
import { copyFile, type FileHandle, lstat, open, rename } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Clock, RandomSource } from '../core/clock.ts'
import { OptionsError } from '../core/errors.ts'
import { numberOption, requiredString } from '../core/option-checks.ts'
import {
  explainLostLock,
  explainStoreError,
  makeFolder,
  openUnlinked,
  syncFolder,
} from '../session/node/atomic-file.ts'
import { type HeldLock, ProcessLock } from '../session/node/process-lock.ts'

/** Options of {@link openRecordFile}. @public */
export interface RecordFileOptions {
  /**
   * The kind of the records, such as `service.batch`. The first line of the file contains the kind. A file with
   * records of another kind is rejected.
   */
  readonly kind: string
  /** The version of the record format, starting at 1. A file with a newer version is rejected. */
  readonly version: number
  /** The name of the caller's option that holds the path, for error messages. */
  readonly option: string
  /** How long to wait, in milliseconds, while another writer has the file open. Default 60,000. */
  readonly lockWaitMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
  readonly random?: RandomSource | undefined
}

/** A file of records, open for writing. @public */
export interface RecordFile {
  /** The records that the file contained when it was opened, in order. */
  readonly records: readonly unknown[]
  /**
   * Appends records, which must be JSON values. Resolves when the records are durable. Overlapping calls share one
   * write. The records of one call are kept or lost together.
   *
   * @throws OptionsError if the records can't be written. Every later call then fails too.
   */
  append(records: readonly unknown[]): Promise<void>
  /** Waits for pending writes, and then lets other writers open the file. */
  close(): Promise<void>
}

const LOCK_WAIT_MS = 60_000
/** A line of the file: a checksum, the number of the writer, and JSON. */
const LINE = /^([0-9a-f]{8}) (\d{1,9}) (.*)$/s

/**
 * Opens an append-only file of JSON records, and keeps other writers out until it is closed. The file isn't created
 * or changed before the first append. A write can be incomplete if the process was killed or the disk was full. Such
 * a write is ignored when the file is read, because its `append` never resolved.
 *
 * Each writer has a higher number than the writer before it, and each line contains the number of its writer. If a
 * process seems dead, another process can take over its lock. Lines that the first process still writes after that
 * are ignored, because their number is lower.
 *
 * @throws OptionsError if the file can't be used: access is denied, it is a symbolic link, it contains something
 *   other than records of this kind, it has a newer version, or it is damaged.
 * @throws DeadlineError if another writer keeps the file open for longer than `lockWaitMs`.
 * @throws The signal's own reason on abort.
 * @public
 */
export async function openRecordFile(path: string, options: RecordFileOptions): Promise<RecordFile> {
  const { option, signal, clock, random } = options
  requiredString(path, option, 'Pass the path of the file.')
  if (path.includes('\0'))
    throw new OptionsError(option, 'must not contain a NUL character.', 'Pass the path of the file.')
  const waitMs = numberOption(options.lockWaitMs, 'lockWaitMs', LOCK_WAIT_MS, { min: 0 })
  const full = resolve(path)
  const lock = new ProcessLock({ folder: `${full}.lock`, waitMs, clock, random })
  try {
    await makeFolder(dirname(full))
    const held = await lock.acquire(signal)
    try {
      const content = await readContent(full, options)
      return new OpenRecordFile(full, options, held, content)
    } catch (error) {
      await held.release()
      throw error
    }
  } catch (error) {
    throw explainStoreError(full, error, option)
  }
}

class OpenRecordFile implements RecordFile {
  readonly records: readonly unknown[]
  readonly #path: string
  readonly #options: RecordFileOptions
  readonly #lock: HeldLock
  readonly #writer: number
  readonly #wholeBytes: number
  #file: FileHandle | undefined
  #waiting: unknown[] = []
  #next: Promise<void> | undefined
  #last: Promise<void> = Promise.resolve()
  #failure: unknown
  #closed = false

  constructor(path: string, options: RecordFileOptions, lock: HeldLock, content: Content) {
    this.#path = path
    this.#options = options
    this.#lock = lock
    this.#writer = content.writer + 1
    this.#wholeBytes = content.wholeBytes
    this.records = content.records
  }

  append(records: readonly unknown[]): Promise<void> {
    if (this.#closed) return Promise.reject(new TypeError(`${this.#path} was closed.`))
    this.#waiting.push(...records)
    this.#next ??= this.#last.then(() => {
      const all = this.#waiting
      this.#waiting = []
      this.#next = undefined
      return this.#write(all)
    })
    this.#last = this.#next.catch(() => undefined)
    return this.#next
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#last
    try {
      await this.#file?.close()
      await this.#lock.release()
    } catch (error) {
      await this.#lock.release().catch(() => undefined)
      throw explainStoreError(this.#path, error, this.#options.option)
    }
  }

  async #write(records: readonly unknown[]): Promise<void> {
    // After a failed write, the content of the file is unknown, so this writer can't continue.
    if (this.#failure !== undefined) throw this.#failure
    try {
      this.#file ??= await this.#begin()
      await this.#file.appendFile(lineOf(this.#writer, records))
      await this.#file.datasync()
      // A writer that takes over the lock moves the lock's folder away before it reads the file. If the folder still
      // exists now, the next writer hasn't read the file yet, so it will find these records.
      await lstat(this.#lock.folder)
    } catch (error) {
      this.#failure = explainLostLock(this.#path, error, this.#options.option)
      throw this.#failure
    }
  }

  /** Opens the file for writing, after removing an incomplete write at its end. */
  async #begin(): Promise<FileHandle> {
    const size = await lstat(this.#path).then(
      (stats) => stats.size,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      },
    )
    if ((size ?? 0) < this.#wholeBytes)
      throw unusable(
        this.#path,
        this.#options,
        'was removed or shortened by another program after it was opened. Nothing was written',
        'Find out which program changed the file. If you restore a backup, it may lack the newest records.',
      )
    if (size !== this.#wholeBytes || size === 0) await this.#replace()
    const file = await open(this.#path, constants.O_RDWR | constants.O_APPEND)
    try {
      await lstat(this.#lock.folder)
      return file
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /**
   * Creates the file, or replaces it with a copy of its complete lines. Truncating the file in place could remove the
   * lines of another writer that has just taken over the lock. The copy is made in the lock's folder, so that the
   * rename fails once the lock is lost.
   */
  async #replace(): Promise<void> {
    const staged = join(this.#lock.folder, 'next')
    if (this.#wholeBytes > 0) await copyFile(this.#path, staged)
    const file = await open(staged, this.#wholeBytes > 0 ? 'r+' : 'w', 0o600)
    try {
      if (this.#wholeBytes > 0) await file.truncate(this.#wholeBytes)
      else await file.writeFile(headerOf(this.#options))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(staged, this.#path)
    await syncFolder(dirname(this.#path))
  }
}

interface Content {
  readonly records: readonly unknown[]
  /** The number of the last writer. */
  readonly writer: number
  /** The length of the file in bytes, without an incomplete write at its end. */
  readonly wholeBytes: number
}

const NOTHING: Content = { records: [], writer: 0, wholeBytes: 0 }

async function readContent(path: string, options: RecordFileOptions): Promise<Content> {
  const file = await openUnlinked(path, options.option)
  if (file === undefined) return NOTHING
  try {
    if (!(await file.stat()).isFile())
      throw unusable(path, options, 'is not a regular file', 'Pass another path.')
    return await readLines(path, file, options)
  } finally {
    await file.close()
  }
}

async function readLines(path: string, file: FileHandle, options: RecordFileOptions): Promise<Content> {
  const header = Buffer.from(headerOf(options))
  const records: unknown[] = []
  let wholeBytes = 0
  let writer = 0
  let number = 0
  let rest: Buffer[] = []
  for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 2 ** 18 })) {
    let bytes = chunk as Buffer
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a)) {
      const line = Buffer.concat([...rest, bytes.subarray(0, end)])
      bytes = bytes.subarray(end + 1)
      rest = []
      wholeBytes += line.length + 1
      if (++number === 1) checkHeader(path, line, options)
      else {
        const read = readLine(line)
        if (read === undefined)
          throw unusable(
            path,
            options,
            `is damaged at line ${number}, and was not changed`,
            "Restore the file from a backup. Don't truncate the file at that line: the later records would be lost, and " +
              'work that was already accepted would be submitted again.',
          )
        // A lower number belongs to a writer that had lost its lock. `append` never resolved for these records.
        if (read.writer < writer) continue
        writer = read.writer
        records.push(...read.records)
      }
    }
    rest.push(bytes)
  }
  if (number > 0) return { records, writer, wholeBytes }
  const started = Buffer.concat(rest)
  // If the file is empty or has only the beginning of the header, it counts as a file without records.
  if (started.length < header.length && header.subarray(0, started.length).equals(started)) return NOTHING
  throw foreign(path, options)
}

function headerOf({ kind, version }: RecordFileOptions): string {
  return lineOf(0, [{ records: kind, version }])
}

function lineOf(writer: number, records: readonly unknown[]): string {
  const text = `${writer} ${JSON.stringify(records)}`
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`
}

function readLine(
  bytes: Buffer,
): { readonly writer: number; readonly records: readonly unknown[] } | undefined {
  const [, checksum, writer, json] = LINE.exec(bytes.toString('utf8')) ?? []
  if (checksum === undefined || json === undefined) return undefined
  if (crc32(bytes.subarray(checksum.length + 1)) !== Number.parseInt(checksum, 16)) return undefined
  const records: unknown = JSON.parse(json)
  return Array.isArray(records) ? { writer: Number(writer), records } : undefined
}

function checkHeader(path: string, line: Buffer, options: RecordFileOptions): void {
  const [header] = readLine(line)?.records ?? []
  const { records: kind, version } = (header ?? {}) as { records?: unknown; version?: unknown }
  if (kind !== options.kind || typeof version !== 'number') throw foreign(path, options)
  if (version <= options.version) return
  throw unusable(
    path,
    options,
    `was written by a newer version of this package (format ${version}; the installed version reads up to format ${options.version})`,
    'Upgrade the package to a version that reads this format. The file was not changed.',
  )
}

function foreign(path: string, options: RecordFileOptions): OptionsError {
  const what = `contains something other than records of ${options.kind}, and was not changed`
  return unusable(path, options, what, 'Pass another path.')
}

function unusable(path: string, { option }: RecordFileOptions, what: string, remedy: string): OptionsError {
  return new OptionsError(option, `\`${option}\`: ${path} ${what}.`, remedy)
}
