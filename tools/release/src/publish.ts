import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { ReleaseError } from './release-error.ts'

export interface PackedRelease {
  readonly name: string
  readonly version: string
  /** An absolute path. */
  readonly tarball: string
}

/** The root folder of a workspace, and the environment variables for commands that run there. */
export interface ReleaseContext {
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

/**
 * Applies the changesets: raises the versions of packages, and writes the packages' changelogs.
 *
 * A changeset named `first-release…` lists packages that were never published. Changes before the first release don't
 * belong in the changelog. So this function deletes all other changesets that list only never-published packages.
 *
 * @throws ReleaseError if a changeset can't be applied. In that case, nothing has changed.
 */
export function versionPackages(context: ReleaseContext): void {
  const folder = join(context.folder, '.changeset')
  const changesets = pendingChangesets(context.folder).map((name) => ({
    name,
    packages: packagesOf(join(folder, name)),
  }))
  const described = changesets.filter(isFirstRelease).flatMap(({ packages }) => packages)
  const dropped = changesets
    .filter((one) => !isFirstRelease(one) && one.packages.every((name) => described.includes(name)))
    .map(({ name }) => ({ path: join(folder, name), content: readFileSync(join(folder, name)) }))
  for (const { path } of dropped) rmSync(path)
  try {
    changeset(context, ['version'])
  } catch (error) {
    for (const { path, content } of dropped) writeFileSync(path, content)
    throw error
  }
}

/**
 * Packs every package whose version isn't in the registry.
 *
 * @param destination - The folder for the tarballs, and for `publish-plan.json`, which `publishPacked` reads.
 */
export function packPackages(context: ReleaseContext, destination: string): PackedRelease[] {
  changeset(context, ['pack', '--out-dir', destination])
  return readPlan(destination)
}

/**
 * Publishes the packages that `packPackages` packed, and creates a git tag for each package. Dependencies are
 * published first, so every published package can be installed.
 *
 * @throws ReleaseError if a package was not published.
 */
export function publishPacked(context: ReleaseContext, destination: string): void {
  // `changeset publish` writes a line to this file for each package's git tag.
  const report = context.environment['CHANGESETS_OUTPUT'] ?? join(destination, 'tags.ndjson')
  const done = spawnSync('changeset', ['publish', '--from-pack-dir', destination], {
    cwd: context.folder,
    env: { ...context.environment, CHANGESETS_OUTPUT: report },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (done.error) throw done.error
  if (done.status === 0) return
  const published = taggedPackages(report)
  const missing = readPlan(destination).filter(({ name }) => !published.includes(name))
  throw new ReleaseError(describeUnfinished(published, missing, withoutSpinner(done.stdout + done.stderr)))
}

export function pendingChangesets(folder: string): string[] {
  return readdirSync(join(folder, '.changeset')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  )
}

const isFirstRelease = ({ name }: { readonly name: string }): boolean => name.startsWith('first-release')

function packagesOf(path: string): string[] {
  const [, frontMatter = ''] = readFileSync(path, 'utf8').split(/^---$/m)
  return [...frontMatter.matchAll(/^['"]?([^'":\s]+)['"]?:/gm)].map(([, name = '']) => name)
}

function changeset({ folder, environment }: ReleaseContext, words: readonly string[]): void {
  try {
    execFileSync('changeset', words, {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new ReleaseError(
      `changeset ${words[0]} failed:\n${withoutSpinner(`${stdout ?? ''}${stderr ?? ''}`)}`,
      {
        cause: error,
      },
    )
  }
}

interface PlanFile {
  readonly plan: readonly (readonly {
    readonly name: string
    readonly version: string
    readonly tarball: { readonly path: string }
  }[])[]
}

function readPlan(destination: string): PackedRelease[] {
  const { plan } = JSON.parse(readFileSync(join(destination, 'publish-plan.json'), 'utf8')) as PlanFile
  return plan
    .flat()
    .map(({ name, version, tarball }) => ({ name, version, tarball: join(destination, tarball.path) }))
}

function taggedPackages(report: string): string[] {
  if (!existsSync(report)) return []
  const lines = readFileSync(report, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => (JSON.parse(line) as { packageName: string }).packageName)
}

function describeUnfinished(
  published: readonly string[],
  missing: readonly PackedRelease[],
  output: string,
): string {
  return [
    'The release is incomplete: not every package was published.',
    `Published: ${published.join(', ') || 'nothing'}.`,
    `Not published: ${missing.map(({ name, version }) => `${name}@${version}`).join(', ')}.`,
    'Every published package can be installed, because its dependencies were published before it.',
    'To continue, fix the cause below and run the same command again. The command then publishes only the missing packages.',
    '',
    output,
  ].join('\n')
}

function withoutSpinner(output: string): string {
  // oxlint-disable-next-line no-control-regex -- the escape character starts every control sequence
  const lines = output.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, '\n').split('\n')
  return lines.filter((line) => line.trim() !== '' && !/[◒◐◓◑]/.test(line)).join('\n')
}
