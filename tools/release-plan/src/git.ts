import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'

/** Runs git and returns its output; undefined if it fails, for instance because the folder isn't in a repository. */
export function git(root: string, words: readonly string[]): string | undefined {
  const done = spawnSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return done.status === 0 ? done.stdout : undefined
}

/** Returns the hash of each file in a folder of a commit, by its path in the folder. Empty if `git ls-tree` fails. */
export function blobsAt(root: string, commit: string, folder: string): Map<string, string> {
  const listed = git(root, ['ls-tree', '-r', '-z', '--full-tree', commit, folder]) ?? ''
  const blobs = new Map<string, string>()
  for (const entry of listed.split('\0')) {
    const [, hash, path] = /^\d+ blob (\w+)\t(.+)$/s.exec(entry) ?? []
    if (hash && path) blobs.set(path.slice(folder.length), hash)
  }
  return blobs
}

/** Returns the hash that git computes for a file's content. */
export function blobHash(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}
