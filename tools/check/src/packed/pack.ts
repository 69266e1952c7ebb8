import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { root, workspaceFiles } from '../workspace.ts'

export interface PackedPackage {
  readonly name: string
  /** The folder, relative to the workspace root. */
  readonly folder: string
  readonly tarball: string
}

/** Packs every published package into its own subfolder of `destination`, as `pnpm publish` would. */
export function packAll(destination: string): PackedPackage[] {
  return publishedFolders().map(({ name, folder }) => {
    const own = join(destination, name.replace('@', '').replace('/', '-'))
    mkdirSync(own, { recursive: true })
    execFileSync('pnpm', ['pack', '--pack-destination', own], {
      cwd: join(root, folder),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [file] = readdirSync(own).filter((entry) => entry.endsWith('.tgz'))
    if (!file) throw new Error(`packing ${name} wrote no tarball to ${own}`)
    return { name, folder, tarball: join(own, file) }
  })
}

/** Returns the published packages. Each `folder` is relative to the root. */
export function publishedFolders(): { readonly name: string; readonly folder: string }[] {
  return workspaceFiles('specs/package.json', 'packages/*/package.json').flatMap((path) => {
    const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as { name: string; private?: boolean }
    return manifest.private ? [] : [{ name: manifest.name, folder: path.slice(0, -'/package.json'.length) }]
  })
}
