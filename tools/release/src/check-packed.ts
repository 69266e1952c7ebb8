import { readTarball } from '../../check/src/packed/tarball.ts'

import { checkTarball } from './check-tarball.ts'
import type { PackedRelease } from './publish.ts'
import { repositoryAddress } from './repository.ts'
import { publishedFolders } from './workspace-copy.ts'

/** Lists the problems in the tarballs of a release. */
export function checkPacked(folder: string, releases: readonly PackedRelease[]): string[] {
  const folders = publishedFolders(folder)
  const origin = {
    address: repositoryAddress(folder),
    versions: new Map(folders.map(({ name, version }) => [name, version])),
  }
  return releases.flatMap(({ name, tarball }) => {
    const own = folders.find((candidate) => candidate.name === name)
    return checkTarball({ name, folder: own?.folder ?? '', files: filesIn(tarball) }, origin)
  })
}

function filesIn(tarball: string): ReadonlyMap<string, Buffer> {
  return new Map(
    Array.from(readTarball(tarball), ({ path, isFile, content }) => {
      if (!isFile) throw new Error(`${tarball}: ${path} is not a file.`)
      return [path, content] as const
    }),
  )
}
