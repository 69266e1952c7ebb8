import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'

/** Returns the output of a git command, or undefined if the command fails. */
export function git(root: string, words: readonly string[]): string | undefined {
  const done = spawnSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return done.status === 0 ? done.stdout : undefined
}

/**
 * Returns the hashes of the files in a folder of a commit. The keys are paths relative to this folder. If
 * `git ls-tree` fails, the map is empty.
 */
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
