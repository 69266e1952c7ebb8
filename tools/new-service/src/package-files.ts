import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { ServiceNames } from './names.ts'

/** The service whose packages are the model for new ones. */
export const REFERENCE = 'media'

/** Parts of the model's packages that a new service doesn't need. */
const ONLY_OF_REFERENCE = {
  entry: './node',
  build: /, node: '[^']*'/,
  dependencies: ['fast-check'],
  script: 'test:processes',
}

interface Manifest {
  readonly [key: string]: unknown
  readonly exports: Readonly<Record<string, unknown>>
  readonly publishConfig: { readonly exports: Readonly<Record<string, unknown>> }
  readonly devDependencies: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
}

/**
 * Copies the model's package files that don't depend on the contract, and replaces the model's name. So a new service
 * is built, tested and published like the others.
 *
 * @returns The text of each file by its path in the package.
 */
export function packageFiles(
  root: string,
  { name, words }: ServiceNames,
  kind: 'client' | 'validators',
): ReadonlyMap<string, string> {
  const suffix = kind === 'client' ? '' : '-validators'
  const read = (file: string) =>
    readFileSync(join(root, 'packages', REFERENCE + suffix, file), 'utf8').replaceAll(
      // Matches the model's name in package names, paths and strings, but not within a longer word.
      new RegExp(`(?<=@concord/|packages/|specs/|test/|')${REFERENCE}(?![a-z])`, 'g'),
      name,
    )
  const description =
    kind === 'client'
      ? `Typed client of the ${words} service`
      : `Types and zod schemas of the ${words} service`
  const keywords =
    kind === 'client' ? ['client', 'openapi', 'sdk', 'typescript'] : ['openapi', 'schemas', 'types', 'zod']
  const manifest = JSON.parse(read('package.json')) as Manifest
  const own = { ...manifest, description, keywords: [...keywords, name].toSorted() }
  return new Map([
    ['package.json', `${JSON.stringify(withoutExtras(own), null, 2)}\n`],
    ...configurations(root, REFERENCE + suffix).map(
      (file) => [file, read(file).replace(ONLY_OF_REFERENCE.build, '')] as const,
    ),
  ])
}

/** Returns the names of a package's license file and of the files that configure its build and tests. */
export function configurations(root: string, packageName: string): string[] {
  return readdirSync(join(root, 'packages', packageName), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^package\.json$|\.md$|\.log$/.test(entry.name))
    .map(({ name }) => name)
}

/**
 * Removes from a manifest all that only the model needs. Sorts the dependencies, because the name of the new service
 * can change their order.
 */
function withoutExtras(manifest: Manifest): object {
  const { typesVersions: _, ...kept } = manifest
  const dependencies = Object.entries(kept.devDependencies)
    .filter(([name]) => !ONLY_OF_REFERENCE.dependencies.includes(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  const changed: Readonly<Record<string, unknown>> = {
    version: '0.0.0',
    scripts: without(manifest.scripts, ONLY_OF_REFERENCE.script),
    exports: without(manifest.exports, ONLY_OF_REFERENCE.entry),
    publishConfig: {
      ...manifest.publishConfig,
      exports: without(manifest.publishConfig.exports, ONLY_OF_REFERENCE.entry),
    },
    devDependencies: Object.fromEntries(dependencies),
  }
  return Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, changed[key] ?? value]))
}

function without(
  members: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([key]) => key !== name))
}
