import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { git } from './git.ts'
import { PlanError } from './plan-error.ts'
import { commitSnapshot, folderSnapshot, tarballSnapshot, type Snapshot } from './snapshot.ts'

/** Identifies the contracts with which the working tree is compared. */
export interface Base {
  readonly kind: 'release' | 'commit' | 'folder' | 'tarball' | 'none'
  /** The name to show to people: a tag, a branch or a path. Empty if `kind` is `none`. */
  readonly label: string
  /** The hash of the commit. Present if `kind` is `release` or `commit`. */
  readonly commit?: string
}

/** The tags that `changeset publish` creates for a release. */
const RELEASE_TAGS = '@concord/specs@*'

/**
 * Finds the contracts to compare with: those in the tarball, folder or commit that `asked` names. Without `asked`,
 * uses the last release in the history of the working tree.
 *
 * @returns The base, but no snapshot if nothing has been released yet.
 * @throws {@link PlanError} if `asked` doesn't exist, or the last release can't be determined from the history.
 */
export function findBase(root: string, asked: string | undefined): { base: Base; snapshot?: Snapshot } {
  if (asked !== undefined) return askedBase(root, asked)
  const tag = git(root, ['describe', '--tags', '--abbrev=0', '--match', RELEASE_TAGS])?.trim()
  if (tag) return commitBase(root, 'release', tag, `refs/tags/${tag}`)
  const isShallow = git(root, ['rev-parse', '--is-shallow-repository'])?.trim()
  if (isShallow === undefined)
    throw new PlanError(
      `git can't read ${root}, so the last release can't be found.`,
      'Run `git status` there to see why, or pass a folder or a tarball of @concord/specs as --base.',
    )
  if (isShallow === 'true')
    throw new PlanError(
      `This is a shallow clone, so the last release can't be found.`,
      'Run `git fetch --unshallow --tags`, or pass --base.',
    )
  return { base: { kind: 'none', label: '' } }
}

function askedBase(root: string, asked: string): { base: Base; snapshot: Snapshot } {
  const path = resolve(root, asked)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (hashOf(root, asked) !== undefined || !stat) return commitBase(root, 'commit', asked)
  if (stat.isFile())
    return { base: { kind: 'tarball', label: asked }, snapshot: tarballSnapshot(path, asked) }
  const specs = join(path, 'specs')
  const folder = statSync(specs, { throwIfNoEntry: false })?.isDirectory() === true ? specs : path
  return { base: { kind: 'folder', label: asked }, snapshot: folderSnapshot(folder, asked) }
}

function commitBase(
  root: string,
  kind: 'release' | 'commit',
  label: string,
  ref = label,
): { base: Base; snapshot: Snapshot } {
  const commit = hashOf(root, ref)
  if (commit === undefined)
    throw new PlanError(
      `No commit, folder or file is named \`${label}\`.`,
      'Pass a folder, a tarball of @concord/specs, or a revision that `git rev-parse` finds, such as a tag.',
    )
  return { base: { kind, label, commit }, snapshot: commitSnapshot(root, commit, label) }
}

function hashOf(root: string, ref: string): string | undefined {
  return git(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])?.trim()
}
