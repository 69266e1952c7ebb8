import { posix } from 'node:path'

import { repositoryFields } from './repository.ts'

interface PublishedPackage {
  readonly name: string
  /** Its folder, relative to the workspace root. */
  readonly folder: string
  /** Its files, by their path in the package. */
  readonly files: ReadonlyMap<string, Buffer>
}

/** The workspace that the packages come from. */
export interface Origin {
  /** The URL of the repository's web page. */
  readonly address: string
  /** The versions of the workspace's public packages, by package name. */
  readonly versions: ReadonlyMap<string, string>
}

interface Manifest {
  readonly [member: string]: unknown
  readonly version?: string
  readonly exports?: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Lists everything in a package that would cause trouble for its users. */
export function checkTarball(published: PublishedPackage, origin: Origin): string[] {
  const { name, files } = published
  const text = files.get('package.json')?.toString('utf8')
  if (text === undefined) return [`${name} has no package.json`]
  const manifest = JSON.parse(text) as Manifest
  const problems = [
    ...manifestProblems(published, manifest, origin),
    ...entryProblems(files, manifest),
    ...fileProblems(files),
    ...linkProblems(published, origin),
  ]
  return problems.map((problem) => `${name}: ${problem}`)
}

function manifestProblems(
  { name, folder, files }: PublishedPackage,
  manifest: Manifest,
  origin: Origin,
): string[] {
  const problems: string[] = []
  const expected = {
    name,
    version: origin.versions.get(name),
    license: 'MIT',
    ...repositoryFields(origin.address, folder),
  }
  for (const [member, value] of Object.entries(expected))
    if (JSON.stringify(manifest[member]) !== JSON.stringify(value))
      problems.push(
        `package.json has ${member} ${JSON.stringify(manifest[member])} instead of ${JSON.stringify(value)}`,
      )
  const hasCode = [...files.keys()].some((path) => path.startsWith('dist/'))
  for (const member of ['description', 'keywords', ...(hasCode ? ['engines', 'sideEffects'] : [])])
    if (manifest[member] === undefined) problems.push(`package.json has no ${member}`)
  for (const [other, range] of Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    const version = origin.versions.get(other)
    if (version !== undefined && range !== `^${version}`)
      problems.push(`depends on ${other} ${range}, but this release has ${version}`)
    if (version === undefined && other.startsWith('@concord/'))
      problems.push(`depends on ${other}, which isn't published`)
    if (/^(?:workspace|file|link|catalog):/.test(range))
      problems.push(`depends on ${other} as ${range}, which doesn't work outside the workspace`)
  }
  return problems
}

/** Lists files that package.json refers to, but that the package lacks. */
function entryProblems(files: ReadonlyMap<string, Buffer>, manifest: Manifest): string[] {
  const named = [
    manifest['main'],
    manifest['module'],
    manifest['types'],
    manifest['bin'],
    manifest.exports,
    manifest['imports'],
  ]
  const isThere = (target: string): boolean =>
    target.includes('*')
      ? [...files.keys()].some((path) => posix.matchesGlob(path, target))
      : files.has(target)
  const problems = leaves(named)
    .filter((target) => /^(?:\.|dist\/)/.test(target) && !isThere(posix.normalize(target)))
    .map((target) => `package.json names ${target}, which isn't in the package`)
  if (JSON.stringify(manifest.exports ?? {}).includes('@concord/source'))
    problems.push('package.json has the export condition @concord/source, which works only in the workspace')
  return problems
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : []
}

function fileProblems(files: ReadonlyMap<string, Buffer>): string[] {
  const problems = ['LICENSE', 'README.md', 'CHANGELOG.md']
    .filter((path) => !files.has(path))
    .map((path) => `has no ${path}`)
  for (const [path, content] of files) {
    if (
      /(?:^|\/)(?:test|tests|test-support|reports|coverage|node_modules)\/|\.test[-.]|\.tsbuildinfo$/.test(
        path,
      )
    )
      if (!/^(?:src|dist)\/coverage\//.test(path)) problems.push(`has ${path}, which its users don't need`)
    if (!/\.(?:png|jpe?g|pdf|mp4|mp3|wav|webp)$/.test(path)) {
      const found = /(?:file:\/\/\/(?!path\/)|["'\s(]\/(?:home|root|tmp|Users|work)\/)[^"'\s)]*/.exec(
        content.toString('utf8'),
      )
      if (found) problems.push(`${path} contains a path of the build machine: ${found[0].trim()}`)
    }
  }
  return problems
}

/** Lists broken links. Relative links in a README don't work on a registry's page. */
function linkProblems({ files, folder }: PublishedPackage, { address }: Origin): string[] {
  const problems: string[] = []
  for (const [path, content] of files) {
    if (!path.endsWith('.md') || path === 'CHANGELOG.md') continue
    for (const target of markdownLinks(content.toString('utf8'))) {
      if (/^(?:[a-z]+:|#)/.test(target)) continue
      if (path === 'README.md')
        problems.push(
          `README.md has the relative link ${target}; write ${address}/blob/main/${posix.join(folder, target)}`,
        )
      else if (!isInPackage(files, posix.join(posix.dirname(path), target.replace(/#.*$/, ''))))
        problems.push(`${path} links to ${target}, which isn't in the package`)
    }
  }
  return problems
}

const isInPackage = (files: ReadonlyMap<string, Buffer>, target: string): boolean =>
  files.has(target) || [...files.keys()].some((path) => path.startsWith(`${target.replace(/\/$/, '')}/`))

/** Returns the targets of a page's links, except those in code. */
function markdownLinks(markdown: string): string[] {
  const withoutCode = markdown.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')
  return [...withoutCode.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}
