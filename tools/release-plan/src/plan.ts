import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Base, findBase } from './base.ts'
import { declaredBumps, readChangesets } from './changeset-files.ts'
import type { Change } from './findings.ts'
import { PlanError } from './plan-error.ts'
import { folderSnapshot, type Snapshot } from './snapshot.ts'
import { exceeds, highest, type Verdict } from './verdict.ts'

export interface PlanOptions {
  /** The root of the repository. */
  readonly tree: string
  /** A tag, branch or commit, a folder, or a packed `@concord/specs`. Default: the last release. */
  readonly base?: string | undefined
}

/** The changes since the base, and the releases that these changes need. Contains only plain data. */
export interface ReleasePlan {
  readonly base: Base
  readonly services: readonly ServicePlan[]
  /** Sorted by service, then by verdict: `major` comes first. */
  readonly changes: readonly Change[]
  readonly packages: readonly PackagePlan[]
  /** The highest verdict of all changes. */
  readonly verdict: Verdict
}

/** Says whether a service's contracts changed. */
export interface ServicePlan {
  readonly name: string
  readonly status: 'unchanged' | 'changed' | 'new' | 'removed'
  /** The contracts that changed, but still have the same `info.version`. */
  readonly keptVersions?: readonly { readonly file: string; readonly version: string }[]
}

/** The release that a published package needs. */
export interface PackagePlan {
  readonly name: string
  readonly version: string
  /** The services whose changes affect the package. */
  readonly services: readonly string[]
  /** How breaking the changes are. */
  readonly verdict: Verdict
  /** The bump that a changeset has to declare: the verdict, but at most `minor` while the version is 0.x. */
  readonly bump: Verdict
  /** The highest bump that the changesets of the tree declare. */
  readonly declared: Verdict
}

/**
 * Compares the contracts in `tree` with those of the last release, or of another base.
 *
 * @throws {@link PlanError} if the base is unknown, or a changed contract can't be read.
 */
export async function planRelease({ tree, base: asked }: PlanOptions): Promise<ReleasePlan> {
  const specs = join(tree, 'specs')
  if (!existsSync(specs))
    throw new PlanError(`Folder not found: ${specs}.`, 'Pass the root of the repository.')
  const { base, snapshot } = findBase(tree, asked)
  const next = folderSnapshot(specs, 'the working tree')
  if (!snapshot) {
    const services = namesIn(next).map((name) => ({ name, status: 'new' as const }))
    return { base, services, changes: [], packages: [], verdict: 'none' }
  }
  const services = [...new Set([...namesIn(snapshot), ...namesIn(next)])].sort().map((name) => ({
    name,
    status: statusOf(name, snapshot, next),
  }))
  const compared = await compareAll(services, snapshot, next)
  const changes = compared.flatMap((one) => one.changes)
  const declared =
    changes.length === 0 ? new Map<string, Verdict>() : declaredBumps(readChangesets(tree, base))
  return {
    base,
    services: compared.map(({ service }) => service),
    changes,
    packages: packagesOf(tree, changes).map((one) => ({
      ...one,
      declared: declared.get(one.name) ?? 'none',
    })),
    verdict: highest(changes.map(verdictOf)),
  }
}

export function verdictOf({ wire, typescript }: Change): Verdict {
  return highest([wire, typescript])
}

interface Compared {
  readonly service: ServicePlan
  readonly changes: readonly Change[]
}

async function compareAll(
  services: readonly ServicePlan[],
  base: Snapshot,
  next: Snapshot,
): Promise<readonly Compared[]> {
  if (services.every(({ status }) => status === 'unchanged') && sameFile('formats.json', base, next))
    return services.map((service) => ({ service, changes: [] }))
  // Loading the parsers takes most of the time, and an unchanged tree doesn't need them.
  const { compareService, wholeService } = await import('./compare.ts')
  const { compareFormats } = await import('./formats.ts')
  return services.map((service) => {
    const pair = { name: service.name, base, next }
    if (service.status === 'new') return { service, changes: wholeService(pair, 'service-added') }
    if (service.status === 'removed') return { service, changes: wholeService(pair, 'service-removed') }
    if (service.status === 'unchanged') return { service, changes: compareFormats(pair) }
    const { changes, keptVersions } = compareService(pair)
    return { service: keptVersions.length > 0 ? { ...service, keptVersions } : service, changes }
  })
}

function statusOf(name: string, base: Snapshot, next: Snapshot): ServicePlan['status'] {
  const files = (snapshot: Snapshot): string[] =>
    [...snapshot.hashes.keys()].filter((file) => file.startsWith(`${name}/`))
  const [was, is] = [files(base), files(next)]
  if (was.length === 0) return 'new'
  if (is.length === 0) return 'removed'
  return [...was, ...is].every((file) => sameFile(file, base, next)) ? 'unchanged' : 'changed'
}

function sameFile(file: string, base: Snapshot, next: Snapshot): boolean {
  return base.hashes.get(file) === next.hashes.get(file)
}

function namesIn({ hashes }: Snapshot): string[] {
  return [
    ...new Set(
      [...hashes.keys()].filter((file) => file.includes('/')).map((file) => file.split('/')[0] ?? ''),
    ),
  ]
}

/** Returns the folder of each package that a change affects, with the verdict for that package. */
function reachedFolders(change: Change): [folder: string, verdict: Verdict][] {
  const all = verdictOf(change)
  const { service, wire, reach, named } = change
  const emulated = named ? all : wire
  return [
    ['specs', all === 'none' ? 'patch' : all],
    ...(reach === 'file' ? [] : [[`packages/${service}`, all] as [string, Verdict]]),
    ...(reach === 'types' ? [[`packages/${service}-validators`, all] as [string, Verdict]] : []),
    ['packages/emulator', emulated],
  ]
}

export function bumpsFor(tree: string, changes: readonly Change[]): Map<string, Verdict> {
  return new Map(packagesOf(tree, changes).map(({ name, bump }) => [name, bump]))
}

function packagesOf(tree: string, changes: readonly Change[]): Omit<PackagePlan, 'declared'>[] {
  const reached = new Map<string, { verdict: Verdict; services: Set<string> }>()
  for (const change of changes)
    for (const [folder, verdict] of reachedFolders(change)) {
      if (verdict === 'none') continue
      const known = reached.get(folder) ?? { verdict: 'none' as Verdict, services: new Set<string>() }
      known.services.add(change.service)
      reached.set(folder, { ...known, verdict: highest([known.verdict, verdict]) })
    }
  return [...reached].flatMap(([folder, { verdict, services }]) => {
    const manifest = manifestOf(join(tree, folder))
    if (!manifest) return []
    const { name, version } = manifest
    return [{ name, version, services: [...services], verdict, bump: bumpFor(verdict, version) }]
  })
}

/**
 * In 0.x, a minor bump is enough for a breaking change: the range `^0.y` excludes the next minor version, so only
 * callers who upgrade on purpose get it.
 */
function bumpFor(verdict: Verdict, version: string): Verdict {
  return version.startsWith('0.') && exceeds(verdict, 'minor') ? 'minor' : verdict
}

/** Returns undefined if the package isn't published. */
function manifestOf(folder: string): { name: string; version: string } | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as {
    name: string
    version: string
    private?: boolean
  }
  return manifest.private === true ? undefined : manifest
}
