import { lstat, mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Clock, RandomSource } from '../../core/clock.ts'
import { OptionsError } from '../../core/errors.ts'
import {
  checkOptionNames,
  clockOption,
  functionOption,
  numberOption,
  type OptionNames,
  requiredString,
} from '../../core/option-checks.ts'
import type { RequestLog, RequestRecord } from '../../limit/limits.ts'
import {
  type HeldTokenStore,
  MAX_STORED_BYTES,
  readStoredSession,
  type StoredSession,
  type TokenStore,
  writeStoredSession,
} from '../token-store.ts'
import {
  cannotUse,
  checkPrivate,
  explainLostLock,
  explainStoreError,
  makeFolder,
  readPrivateFile,
  removeFile,
  replaceFile,
} from './atomic-file.ts'
import { type HeldLock, ProcessLock, type ProcessLockOptions } from './process-lock.ts'

/** Options of {@link fileTokenStore}. @public */
export interface FileTokenStoreOptions {
  /** How long to wait while other processes hold the store, in milliseconds. Default 180,000. */
  readonly lockWaitMs?: number
  readonly clock?: Clock
  readonly random?: RandomSource
}

const NAMES: OptionNames<FileTokenStoreOptions> = { lockWaitMs: true, clock: true, random: true }
const LOCK_WAIT_MS = 180_000

/**
 * Keeps a session in a file that only this user can read. All processes that use the same path share the session.
 *
 * The file has mode 0600, and is replaced as a whole: a new file is written, fsynced and renamed, and its folder is
 * fsynced. The lock in the folder `<path>.lock` ensures that only one process at a time holds the store. If a process
 * is killed, another process takes over its lock. A process that was mistaken for dead can no longer write. Missing
 * folders are created with mode 0700.
 *
 * The store opens and creates nothing before its first use. On Windows, it doesn't check permissions and owners.
 *
 * @throws OptionsError if `path` isn't a usable string, or an option is unknown or invalid. The store's methods throw
 * OptionsError if other users can access the file or its lock, if another user owns either of them, or if the file is
 * a symbolic link or does not contain a session.
 * @public
 */
export function fileTokenStore(path: string, options: FileTokenStoreOptions = {}): TokenStore {
  requiredString(path, 'path', 'Pass the path of the file that stores the session.')
  if (path.includes('\0'))
    throw new OptionsError('path', 'must not contain a NUL character.', 'Remove the character.')
  checkOptionNames(options, NAMES, 'options')
  const { lockWaitMs, clock, random } = options
  const waitMs = numberOption(lockWaitMs, 'lockWaitMs', LOCK_WAIT_MS, { min: 0 })
  clockOption(clock)
  functionOption(random, 'random')
  return new FileTokenStore(resolve(path), { waitMs, clock, random })
}

class FileTokenStore implements TokenStore {
  readonly path: string
  readonly #folder: string
  readonly #sessionLock: ProcessLock
  readonly #requestLock: ProcessLock
  readonly #requestPath: string

  constructor(path: string, shared: Omit<ProcessLockOptions, 'folder'>) {
    this.path = path
    this.#folder = `${path}.lock`
    this.#sessionLock = new ProcessLock({ folder: join(this.#folder, 'session'), ...shared })
    this.#requestLock = new ProcessLock({ folder: join(this.#folder, 'requests'), ...shared })
    this.#requestPath = join(this.#folder, 'requests.json')
  }

  async read(): Promise<StoredSession | undefined> {
    const text = await this.#explained(readPrivateFile(this.path))
    if (text === undefined) return undefined
    const session = readStoredSession(text)
    if (typeof session !== 'string') return session
    const remedy = 'Pass another path; or, if the file is no longer needed, remove it and sign in again.'
    throw cannotUse(this.path, `it ${session}`, remedy)
  }

  async exclusive<T>(work: (held: HeldTokenStore) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#locked(this.#sessionLock, signal, (lock) =>
      work({
        read: () => this.read(),
        write: async (session) => {
          await this.read() // Throws instead of replacing a file that isn't a session file.
          const text = writeStoredSession(session) ?? unstorable(this.path)
          await this.#explained(replaceFile(this.path, text, lock, { durable: true }), explainLostLock)
        },
        remove: async () => {
          await this.read()
          await this.#explained(removeFile(this.path, lock), explainLostLock)
        },
      }),
    )
  }

  readonly requestLog: RequestLog = {
    update: (change) =>
      this.#locked(this.#requestLock, undefined, async (lock) => {
        const text = await this.#explained(readPrivateFile(this.#requestPath))
        const { record, result } = change(readRecord(text))
        // If a power failure loses the record, the client at worst exceeds the service's rate limit once.
        const replaced = replaceFile(this.#requestPath, JSON.stringify(record), lock, { durable: false })
        await this.#explained(replaced, explainLostLock)
        return result
      }),
  }

  toJSON(): Record<string, unknown> {
    return { store: 'file', path: this.path }
  }

  async #locked<T>(
    lock: ProcessLock,
    signal: AbortSignal | undefined,
    work: (lock: HeldLock) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted()
    const held = await this.#explained(this.#makeFolders().then(() => lock.acquire(signal)))
    try {
      return await work(held)
    } finally {
      // If the lock can't be released, the work still succeeds, because its result is already stored. Processes
      // that wait for the lock get an error that names the lock.
      await held.release().catch(() => undefined)
    }
  }

  async #makeFolders(): Promise<void> {
    await makeFolder(dirname(this.path))
    await mkdir(this.#folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    const stats = await lstat(this.#folder)
    if (!stats.isDirectory())
      throw cannotUse(this.#folder, 'it is not a folder', 'Remove it, or pass another path.')
    checkPrivate(this.#folder, stats)
  }

  async #explained<T>(work: Promise<T>, explain = explainStoreError): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw explain(this.path, error)
    }
  }
}

function readRecord(text: string | undefined): RequestRecord {
  try {
    const value = JSON.parse(text ?? '') as Partial<RequestRecord>
    const { timesMs, holdUntilMs } = value
    if (Array.isArray(timesMs) && timesMs.every((time) => Number.isFinite(time))) {
      return typeof holdUntilMs === 'number' ? { timesMs, holdUntilMs } : { timesMs }
    }
  } catch {
    // A record that can't be read counts as missing.
  }
  return { timesMs: [] }
}

function unstorable(path: string): never {
  throw new OptionsError(
    'store',
    `cannot keep this session in ${path}: the session is larger than ${MAX_STORED_BYTES} bytes, or contains a value that JSON cannot store.`,
    'The file was left unchanged. Check the tokens that the service issued.',
  )
}
