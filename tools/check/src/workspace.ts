import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The absolute path of the workspace root. */
export const root = join(import.meta.dirname, '..', '..', '..')

/** Returns the paths of the files that match `patterns`, relative to the root. Leaves out files that git ignores. */
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
