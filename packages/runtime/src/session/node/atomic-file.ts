import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConcordError, OptionsError } from '../../core/errors.ts'
import { MAX_STORED_BYTES } from '../token-store.ts'
import type { HeldLock } from './process-lock.ts'

/**
 * Replaces a file as a whole. A reader sees either the old or the new content, even if this process is killed midway.
 *
 * The new content is written to a file inside the lock's folder, and that file is renamed to `path`. If the lock is
 * lost, the folder is gone and the rename fails. So this process can't replace what the lock's next owner wrote.
 *
 * @throws The system's own error, with the code `ENOENT` if the lock is lost. In that case, nothing was changed.
 */
export async function replaceFile(
  path: string,
  text: string,
  lock: HeldLock,
  { durable }: { readonly durable: boolean },
): Promise<void> {
  const staged = join(lock.folder, 'next')
  await rm(staged, { force: true })
  const file = await open(staged, 'wx', 0o600)
  try {
    await file.writeFile(text)
    if (durable) await file.sync()
  } finally {
    await file.close()
  }
  await rename(staged, path)
  if (durable) await syncFolder(dirname(path))
}

/** Removes a file, but only if the lock is still held. */
export async function removeFile(path: string, lock: HeldLock): Promise<void> {
  const removed = join(lock.folder, 'removed')
  try {
    await rename(path, removed)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await lstat(lock.folder) // Throws if the lock is lost. Otherwise, the file was already missing.
    return
  }
  await rm(removed)
  await syncFolder(dirname(path))
}

/**
 * Makes the names in a folder durable, so that a new or renamed file survives a power failure. Does nothing on
 * systems that don't support this.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await handle.close()
  }
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY }: Readonly<Record<string, number | undefined>> = constants

/**
 * O_NOFOLLOW rejects symbolic links (ELOOP). Without O_NONBLOCK, opening a named pipe would wait until another
 * process opens the pipe for writing. Windows has neither flag.
 */
const UNBLOCKED_READ: number = (O_RDONLY ?? 0) | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)

/**
 * Opens a file for reading. Returns `undefined` if the file doesn't exist.
 *
 * @throws OptionsError if the path is a symbolic link. A lock belongs to a path, so a file with two paths would have
 *   two locks.
 */
export async function openUnlinked(path: string, option = 'store'): Promise<FileHandle | undefined> {
  try {
    return await open(path, UNBLOCKED_READ)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code !== 'ELOOP') throw error
    throw cannotUse(path, 'it is a symbolic link', 'Pass the path of the file itself.', option)
  }
}

/**
 * Reads a file of secrets. Returns `undefined` if the file doesn't exist.
 *
 * @throws OptionsError if the file is a symbolic link, isn't a regular file, is too large, belongs to another user,
 *   or is accessible to other users.
 */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  const file = await openUnlinked(path)
  if (file === undefined) return undefined
  try {
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > MAX_STORED_BYTES)
      throw cannotUse(path, 'it is not a session file', 'Pass another path.')
    checkPrivate(path, stats)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** @throws OptionsError if the file or folder belongs to another user, or if other users can access it. */
export function checkPrivate(
  path: string,
  { mode, uid }: { readonly mode: number; readonly uid: number },
): void {
  if (process.getuid === undefined) return // On Windows, `mode` and `uid` don't show who has access.
  if (uid !== process.getuid()) {
    const remedy = 'Pass a path in a folder that you own, or remove the existing file or folder.'
    throw cannotUse(path, `it belongs to another user (user id ${uid})`, remedy)
  }
  if ((mode & 0o077) === 0) return
  const shown = (mode & 0o777).toString(8).padStart(4, '0')
  throw cannotUse(
    path,
    `it is accessible to other users (mode ${shown})`,
    `If you are sure that no one else has read it, restrict its permissions: \`chmod go= '${path}'\`. Otherwise, remove it and sign in again.`,
  )
}

export function cannotUse(path: string, what: string, remedy: string, option = 'store'): OptionsError {
  return new OptionsError(option, `cannot use ${path}: ${what}.`, remedy)
}

/**
 * Creates a folder that only this user can access, and the missing folders above it. The option `recursive` of Node's
 * `mkdir` isn't used, because `mkdir` would then never return for a path such as `/proc/a`: `/proc` exists, but
 * creating a folder in `/proc` fails with ENOENT.
 *
 * @throws The system's own error.
 */
export async function makeFolder(path: string): Promise<void> {
  const made = await makeOne(path)
  if (made === undefined) return
  if (made.code !== 'ENOENT' || dirname(path) === path) throw made
  await makeFolder(dirname(path))
  const failure = await makeOne(path)
  if (failure !== undefined) throw failure
}

/** Creates one folder. Returns the error if the folder doesn't exist afterwards. */
async function makeOne(path: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, { mode: 0o700 })
    return undefined
  } catch (error) {
    // The error for an existing folder depends on the system, so don't rely on its code.
    const isThere = await stat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    )
    return isThere ? undefined : (error as NodeJS.ErrnoException)
  }
}

const NO_RIGHT = [
  'this user lacks the permission',
  'Let this user read and write the file and create files in its folder, or pass another path.',
] as const

const A_FILE = ['a part of its path is a file and not a folder', 'Pass another path.'] as const

const MEANINGS: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  EACCES: NO_RIGHT,
  EDQUOT: ['the disk quota is used up', 'Make room, or pass another path.'],
  EEXIST: A_FILE,
  EMFILE: ['this process has too many files open', 'Close some files, or raise the limit on open files.'],
  ENAMETOOLONG: ['the name is too long', 'Pass a shorter path.'],
  ENFILE: ['this machine has too many files open', 'Close some files, or raise the limit on open files.'],
  ENOENT: ['the folder does not exist and cannot be created', 'Pass another path.'],
  ENOSPC: ['the disk is full', 'Make room, or pass another path.'],
  ENOTDIR: A_FILE,
  EPERM: NO_RIGHT,
  EROFS: ['the file system is read-only', 'Pass a path on another file system.'],
}

/** Turns a file-system error into an OptionsError that says what to do. Returns every other error unchanged. */
export function explainStoreError(path: string, error: unknown, option = 'store'): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (ConcordError.is(error) || typeof code !== 'string' || syscall === undefined) return error
  const [what, remedy] = MEANINGS[code] ?? ['the system rejects it', 'See `error.cause`.']
  return new OptionsError(option, `cannot use ${path}: ${what} (${code}).`, remedy, {
    cause: error,
  })
}

/** Like {@link explainStoreError}, for a step that fails with ENOENT if the lock is lost. */
export function explainLostLock(path: string, error: unknown, option = 'store'): unknown {
  if ((error as NodeJS.ErrnoException | null)?.code !== 'ENOENT')
    return explainStoreError(path, error, option)
  return new OptionsError(
    option,
    `left ${path} unchanged: another process took over the file's lock (because this process seemed dead), or the ` +
      `folder ${path}.lock was removed.`,
    'Try again. If this happens again, check whether this process is often paused, and whether a program removes the folder.',
    { cause: error },
  )
}
