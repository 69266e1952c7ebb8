import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The workspace root, as an absolute path. */
export const root = join(import.meta.dirname, '..', '..', '..')

/** Returns the existing files that match `patterns` and that git doesn't ignore, as paths relative to the root. */
export function workspaceFiles(...patterns: readonly string[]): string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...patterns],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
}
