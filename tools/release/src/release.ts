import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'

import { checkPacked } from './check-packed.ts'
import { releaseLocally } from './local-release.ts'
import {
  packPackages,
  pendingChangesets,
  publishPacked,
  versionPackages,
  type PackedRelease,
  type ReleaseContext,
} from './publish.ts'
import { ReleaseError } from './release-error.ts'

export function version(context: ReleaseContext): void {
  if (pendingChangesets(context.folder).length === 0)
    throw new ReleaseError('Nothing to release: no changesets found.')
  versionPackages(context)
  console.log('Wrote versions and changelogs. Review and commit them.')
}

/**
 * Publishes the workspace's packages to the registry in npm's configuration.
 *
 * @param packed - A folder for the tarballs.
 * @returns The packages that were published; empty if every version was already in the registry.
 * @throws ReleaseError if the workspace isn't ready for a release, or if the release stopped early.
 */
export function release(context: ReleaseContext, packed: string): readonly PackedRelease[] {
  const pending = pendingChangesets(context.folder)
  if (pending.length > 0)
    throw new ReleaseError(
      `${pending.length === 1 ? 'A changeset is' : `${pending.length} changesets are`} unreleased (${shortList(pending)}), and this release would leave ${pending.length === 1 ? 'it' : 'them'} out. First run npm run release:version, and commit the result.`,
    )
  const uncommitted = git(context, 'status', '--porcelain')
  if (uncommitted !== '')
    throw new ReleaseError(
      `The working tree has uncommitted files. The packages might contain them, but the release's tags would point to a commit without them. Commit or remove the files first:\n${uncommitted}`,
    )
  const releases = packPackages(context, packed)
  const problems = checkPacked(context.folder, releases)
  if (problems.length > 0) throw new ReleaseError(`Nothing was published, because:\n${problems.join('\n')}`)
  if (releases.length > 0) publishPacked(context, packed)
  return releases
}

const shortList = (names: readonly string[]): string =>
  names.length > 3 ? [...names.slice(0, 3), '...'].join(', ') : names.join(', ')

/** Rehearses the next release in a copy of the workspace, with a registry on this machine. */
export async function rehearse(): Promise<void> {
  const local = await releaseLocally()
  console.log(
    `Nothing was published or changed. The next release would publish these packages:\n${describeReleases(local.releases)}`,
  )
  await local.close()
}

export function describeReleases(releases: readonly PackedRelease[]): string {
  const kib = (path: string) => `${Math.ceil(statSync(path).size / 1024)} KiB`
  return releases.map(({ name, version, tarball }) => `  ${name}@${version}, ${kib(tarball)}`).join('\n')
}

function git({ folder, environment }: ReleaseContext, ...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: folder, env: environment, encoding: 'utf8' }).trim()
}
