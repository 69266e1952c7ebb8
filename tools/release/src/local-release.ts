import { join } from 'node:path'

import { checkPacked } from './check-packed.ts'
import {
  packPackages,
  pendingChangesets,
  publishPacked,
  versionPackages,
  type PackedRelease,
} from './publish.ts'
import { ReleaseError } from './release-error.ts'
import { startRegistry, type Registry, type RegistryOptions } from './registry.ts'
import { copyWorkspace } from './workspace-copy.ts'

/** The next release, published to a registry on this machine. */
export interface LocalRelease {
  readonly registry: Registry
  readonly releases: readonly PackedRelease[]
  /** Stops the registry, and deletes its files and the tarballs. */
  close(): Promise<void>
}

/**
 * Rehearses the next release in a copy of the workspace, with a registry on this machine. Build the packages first.
 *
 * @throws ReleaseError if the next release would fail or be incomplete.
 */
export async function releaseLocally(options: RegistryOptions = {}): Promise<LocalRelease> {
  const registry = await startRegistry(options)
  const copy = copyWorkspace()
  const close = async (): Promise<void> => {
    copy.close()
    await registry.close()
  }
  try {
    const context = { folder: copy.folder, environment: registry.environment }
    const packed = join(copy.folder, 'packed')
    if (pendingChangesets(copy.folder).length > 0) versionPackages(context)
    const releases = packPackages(context, packed)
    const problems = checkPacked(copy.folder, releases)
    if (problems.length > 0) throw new ReleaseError(problems.join('\n'))
    publishPacked(context, packed)
    return { registry, releases, close }
  } catch (error) {
    await close()
    throw error
  }
}
