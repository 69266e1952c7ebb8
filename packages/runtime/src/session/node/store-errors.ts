import { ConcordError, OptionsError } from '../../core/errors.ts'

const NO_RIGHT = [
  'this user lacks the permission',
  'Let this user read and write the file and create files in its folder, or pass another path.',
] as const

const A_FILE = ['a part of its path is a file and not a folder', 'Pass another path.'] as const

/** The meaning of an error code of the system, and the remedy. */
const MEANINGS: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  EACCES: NO_RIGHT,
  EDQUOT: ['there is no room', 'Make room, or pass another path.'],
  EEXIST: A_FILE,
  EMFILE: ['this process has too many files open', 'Close some, or raise the limit.'],
  ENAMETOOLONG: ['the name is too long', 'Pass a shorter path.'],
  ENFILE: ['this machine has too many files open', 'Close some, or raise the limit.'],
  ENOENT: ['the folder does not exist and cannot be created', 'Pass another path.'],
  ENOSPC: ['there is no room', 'Make room, or pass another path.'],
  ENOTDIR: A_FILE,
  EPERM: NO_RIGHT,
  EROFS: ['the file system is read-only', 'Pass a path on another one.'],
}

/**
 * Turns an error of the file system into one that says what to do. Every other error passes unchanged.
 *
 * @param option The name of the option that holds the path.
 */
export function explainStoreError(path: string, error: unknown, option = 'store'): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (ConcordError.is(error) || typeof code !== 'string' || syscall === undefined) return error
  const [what, remedy] = MEANINGS[code] ?? ['the system rejects it', 'See the cause.']
  return new OptionsError(option, `\`${option}\` cannot use ${path}: ${what} (${code}).`, remedy, {
    cause: error,
  })
}

/** The same for a step that fails with ENOENT if the lock is lost. */
export function explainLostLock(path: string, error: unknown, option = 'store'): unknown {
  if ((error as NodeJS.ErrnoException | null)?.code !== 'ENOENT')
    return explainStoreError(path, error, option)
  return new OptionsError(
    option,
    `\`${option}\` left ${path} unchanged: another process now holds its lock because this one seemed dead, or ${path}.lock was ` +
      'removed.',
    'Try again. If this happens again, find out what removes that folder.',
    { cause: error },
  )
}
