import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { root, workspaceFiles } from '../../check/src/workspace.ts'

export { root }

export interface WorkspaceCopy {
  readonly folder: string
  /** Deletes the copy. */
  close(): void
}

/**
 * Copies the workspace, so that a release in the copy doesn't change the original. The copy is a git repository with
 * one commit. It contains everything that packing needs, but no dependencies from outside the workspace.
 */
export function copyWorkspace(): WorkspaceCopy {
  const folder = mkdtempSync(join(tmpdir(), 'concord-release-'))
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, encoding: 'utf8' })
  for (const path of workspaceFiles()) cpSync(join(root, path), join(folder, path))
  for (const packageFolder of packageFolders()) {
    // pnpm's links are relative, so a copied link leads to the copied workspace package. The copy has no links to
    // other dependencies, because a package manager could follow these links and change the original's dependencies.
    for (const name of ['dist', 'node_modules/@concord']) {
      const from = join(root, packageFolder, name)
      if (existsSync(from))
        cpSync(from, join(folder, packageFolder, name), { recursive: true, verbatimSymlinks: true })
    }
  }
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  const author = ['-c', 'user.name=Concord', '-c', 'user.email=release@concord.invalid']
  git(...author, '-c', 'commit.gpgsign=false', 'commit', '--quiet', '--message=Copy the workspace')
  return { folder, close: () => rmSync(folder, { recursive: true, force: true }) }
}

interface PublishedFolder {
  readonly name: string
  readonly version: string
  /** Relative to the workspace root. */
  readonly folder: string
}

export function publishedFolders(workspace = root): PublishedFolder[] {
  return packageFolders(workspace).flatMap((folder) => {
    const text = readFileSync(join(workspace, folder, 'package.json'), 'utf8')
    const manifest = JSON.parse(text) as { name: string; version: string; private?: boolean }
    return manifest.private ? [] : [{ name: manifest.name, version: manifest.version, folder }]
  })
}

function packageFolders(workspace = root): string[] {
  const folders = ['specs', ...readdirSync(join(workspace, 'packages')).map((name) => `packages/${name}`)]
  return folders.filter((folder) => existsSync(join(workspace, folder, 'package.json')))
}
