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
  checkPrivate,
  explainLostLock,
  explainStoreError,
  makeFolder,
  readPrivateFile,
  removeFile,
  replaceFile,
} from './atomic-file.ts'
import { type HeldLock, ProcessLock } from './process-lock.ts'

/** Options of {@link fileTokenStore}. @public */
export interface FileTokenStoreOptions {
  /** How long to wait for other processes, in milliseconds. Default 180,000. */
  readonly lockWaitMs?: number
  readonly clock?: Clock
  readonly random?: RandomSource
}

const NAMES: OptionNames<FileTokenStoreOptions> = { lockWaitMs: true, clock: true, random: true }
const LOCK_WAIT_MS = 180_000

/**
 * Keeps a session in a file that only this user can read, for all processes that use the same path.
 *
 * The file is replaced as a whole (written, fsynced, renamed, its folder fsynced; mode 0600). Processes exclude each
 * other with a folder beside it, `<path>.lock`. The lock of a process that was killed is taken over, and a process that was
 * mistaken for dead can no longer write. Missing folders are created, for this user alone.
 *
 * Nothing is opened or created before the first use. On Windows, permissions and owners of files are not checked.
 *
 * @throws OptionsError on use, if other users can access the file or its lock, if another user owns it, or if it is a link
 * or does not contain a session.
 * @public
 */
export function fileTokenStore(path: string, options: FileTokenStoreOptions = {}): TokenStore {
  requiredString(path, 'path', 'Pass the path of the file that stores the session.')
  if (path.includes('\0')) throw new OptionsError('path', 'contains the character NUL.', 'Remove it.')
  checkOptionNames(options, NAMES, 'options')
  numberOption(options.lockWaitMs, 'lockWaitMs', LOCK_WAIT_MS, { min: 0 })
  clockOption(options.clock)
  functionOption(options.random, 'random')
  return new FileTokenStore(resolve(path), options)
}

class FileTokenStore implements TokenStore {
  readonly path: string
  readonly #folder: string
  readonly #sessionLock: ProcessLock
  readonly #requestLock: ProcessLock
  readonly #requestPath: string

  constructor(path: string, { lockWaitMs = LOCK_WAIT_MS, clock, random }: FileTokenStoreOptions) {
    this.path = path
    this.#folder = `${path}.lock`
    const shared = {
      waitMs: lockWaitMs,
      ...(clock === undefined ? {} : { clock }),
      ...(random === undefined ? {} : { random }),
    }
    this.#sessionLock = new ProcessLock({ folder: join(this.#folder, 'session'), ...shared })
    this.#requestLock = new ProcessLock({ folder: join(this.#folder, 'requests'), ...shared })
    this.#requestPath = join(this.#folder, 'requests.json')
  }

  async read(): Promise<StoredSession | undefined> {
    const text = await this.#explained(readPrivateFile(this.path))
    if (text === undefined) return undefined
    const session = readStoredSession(text)
    if (typeof session !== 'string') return session
    throw new OptionsError(
      'store',
      `cannot use ${this.path}: it ${session}.`,
      'Pass another path; or, if the file is no longer needed, remove it and sign in again.',
    )
  }

  async exclusive<T>(work: (held: HeldTokenStore) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#locked(this.#sessionLock, signal, (lock) =>
      work({
        read: () => this.read(),
        write: async (session) => {
          await this.read() // Rejects a file that isn't this store's.
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
        // It need not survive a power failure: after that, no request of this machine is in flight.
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
      // A lock that can't be released isn't a failure of the work, which is durable. The next holder waits for it, and names
      // it in its error.
      await held.release().catch(() => undefined)
    }
  }

  async #makeFolders(): Promise<void> {
    await makeFolder(dirname(this.path))
    await mkdir(this.#folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    const stats = await lstat(this.#folder)
    if (!stats.isDirectory()) {
      throw new OptionsError(
        'store',
        `cannot use ${this.#folder}: it is not a folder.`,
        'Remove it, or pass another path.',
      )
    }
    checkPrivate(this.#folder, stats)
  }

  /** Explains errors of the file system. A step that needs the lock fails if the lock is lost. */
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
    // As if there were none.
  }
  return { timesMs: [] }
}

function unstorable(path: string): never {
  throw new OptionsError(
    'store',
    `cannot keep this session in ${path}: it is larger than ${MAX_STORED_BYTES} bytes, or contains a value that could not be read back.`,
    'Check the tokens that the service issued; the file was left unchanged.',
  )
}
