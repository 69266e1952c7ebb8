import { spawnSync } from 'node:child_process'

/** What a git command prints; undefined if it fails. */
export function git(root: string, words: readonly string[]): string | undefined {
  const done = spawnSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return done.status === 0 ? done.stdout : undefined
}
