import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Plan } from './plan.ts'

/** Existing files outside of the plan that change when `carryOut` calls `complete`. */
export const CHANGED_LATER = ['pnpm-lock.yaml', 'specs/README.md']

/** Writes the files of a plan and runs the steps that complete the service. Undoes everything if anything fails. */
export function carryOut(root: string, { created, edited }: Plan, complete: () => void): void {
  const before = new Map(
    [...edited.keys(), ...CHANGED_LATER]
      .filter((file) => existsSync(join(root, file)))
      .map((file) => [file, readFileSync(join(root, file))]),
  )
  const folders = newFolders(root, [...created.keys()])
  try {
    for (const [file, text] of [...created, ...edited]) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    complete()
  } catch (error) {
    for (const file of created.keys()) rmSync(join(root, file), { force: true })
    for (const folder of folders) rmSync(join(root, folder), { recursive: true, force: true })
    for (const [file, bytes] of before) writeFileSync(join(root, file), bytes)
    throw error
  }
}

/**
 * Call this function before you edit the files. It returns instructions for undoing your edits. The instructions keep
 * the uncommitted edits that the files already have.
 */
export function howToUndo(root: string, files: readonly string[]): string {
  const { stdout } = spawnSync('git', ['diff', '--name-only', 'HEAD', '--', ...files], {
    cwd: root,
    encoding: 'utf8',
  })
  return stdout === ''
    ? `git checkout ${files.join(' ')}`
    : "# Delete the service's lines from the changed files by hand: `git checkout` would also undo your earlier edits."
}

/** Returns the folders that must be created for these files. Of nested folders, returns only the outermost. */
function newFolders(root: string, files: readonly string[]): string[] {
  const folders = files.map((file) => {
    let folder = dirname(file)
    if (existsSync(join(root, folder))) return undefined
    while (!existsSync(join(root, dirname(folder)))) folder = dirname(folder)
    return folder
  })
  return [...new Set(folders)].filter((folder) => folder !== undefined)
}
