import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { readTarball } from '../../check/src/packed/tarball.ts'

import { blobHash, blobsAt, git } from './git.ts'
import { PlanError } from './plan-error.ts'

/**
 * The contracts at one point in time. Files are named by their path in `@concord/specs`, such as `media/openapi.yaml`.
 * They are compared by their git hash, so that the contracts of unchanged services aren't parsed.
 */
export interface Snapshot {
  /** The name to show to people: a tag, a branch or a path. */
  readonly label: string
  readonly hashes: ReadonlyMap<string, string>
  read(file: string): string
}

/** The contracts of a service: at the base of the comparison and in the working tree. */
export interface ServicePair {
  readonly name: string
  readonly base: Snapshot
  readonly next: Snapshot
}

/** The files of `@concord/specs` that are compared. */
const COUNTED = /^(?:[\w-]+\/(?:openapi|asyncapi)\.yaml|formats\.json)$/

/** @throws {@link PlanError} if the commit has no contracts. */
export function commitSnapshot(root: string, commit: string, label: string): Snapshot {
  const hashes = new Map([...blobsAt(root, commit, 'specs/')].filter(([file]) => COUNTED.test(file)))
  const read = (file: string): string => {
    const text = git(root, ['cat-file', 'blob', hashes.get(file) ?? ''])
    if (text !== undefined) return text
    throw new PlanError(
      `git can't read specs/${file} of \`${label}\`.`,
      'Fetch the commit with its files; a partial clone may lack some.',
    )
  }
  return withContracts({ label, hashes, read })
}

/**
 * Returns the contracts in a folder with one subfolder per service.
 *
 * @throws {@link PlanError} if the folder has no contracts.
 */
export function folderSnapshot(folder: string, label: string): Snapshot {
  const hashes = new Map<string, string>()
  const add = (file: string): void => {
    if (COUNTED.test(file)) hashes.set(file, blobHash(readFileSync(join(folder, file))))
  }
  for (const entry of readdirSync(folder)) {
    const stat = statSync(join(folder, entry), { throwIfNoEntry: false })
    if (stat?.isFile()) add(entry)
    else if (stat?.isDirectory() && entry !== 'node_modules')
      for (const name of readdirSync(join(folder, entry))) add(`${entry}/${name}`)
  }
  return withContracts({ label, hashes, read: (file) => readFileSync(join(folder, file), 'utf8') })
}

/**
 * Returns the contracts in a tarball of `@concord/specs` that `npm pack` wrote.
 *
 * @throws {@link PlanError} if the tarball can't be read, or contains no contracts.
 */
export function tarballSnapshot(path: string, label: string): Snapshot {
  const files = new Map<string, Buffer>()
  try {
    for (const entry of readTarball(path))
      if (entry.isFile && COUNTED.test(entry.path)) files.set(entry.path, entry.content)
  } catch (cause) {
    throw new PlanError(
      `${label} can't be read as a packed package: ${cause instanceof Error ? cause.message : String(cause)}.`,
      'Pass the file that `npm pack @concord/specs` writes.',
      { cause },
    )
  }
  const hashes = new Map([...files].map(([file, content]) => [file, blobHash(content)]))
  return withContracts({ label, hashes, read: (file) => files.get(file)?.toString('utf8') ?? '' })
}

function withContracts(snapshot: Snapshot): Snapshot {
  if ([...snapshot.hashes.keys()].some((file) => file.includes('/'))) return snapshot
  throw new PlanError(
    `${snapshot.label} has no contracts: it contains no <service>/openapi.yaml or <service>/asyncapi.yaml.`,
    'Pass the folder `specs` of a checkout, or a packed `@concord/specs`.',
  )
}
