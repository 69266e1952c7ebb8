import { checkTarball } from './check-tarball.ts'
import type { PackedRelease } from './publish.ts'
import { repositoryAddress } from './repository.ts'
import { readTarball } from './tarball.ts'
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
    return checkTarball({ name, folder: own?.folder ?? '', files: readTarball(tarball) }, origin)
  })
}
