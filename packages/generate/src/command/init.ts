import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

import { CONFIG_NAMES, namedInPackage } from '../config/load-config.ts'
import type { CliContext } from './command.ts'

/** Folders that hold no contracts of a project. */
const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'vendor'])
/** How deep contracts are looked for. */
const MAX_DEPTH = 5

/** Writes a commented config for the contracts of a project, and says what to do next. Overwrites nothing. */
export function init({ folder, print, printError }: CliContext): number {
  const before = namedInPackage(folder) ?? CONFIG_NAMES.find((name) => existsSync(join(folder, name)))
  if (before !== undefined) {
    printError(
      `concord-generate: ${before} is already there, and was left as it is. Edit it, or remove it and run this again.`,
    )
    return 2
  }
  const found = findContracts(folder)
  const manifest = readManifest(folder)
  // Node reads a .ts file as the package says, and a .mts file always as a module.
  const file = manifest?.type === 'module' ? 'concord.config.ts' : 'concord.config.mts'
  const [openapi] = found.openapi
  const [asyncapi] = found.asyncapi
  const contracts = [openapi, asyncapi].filter((document) => document !== undefined)
  const config = configText({
    name: serviceName(manifest?.name ?? basename(folder)),
    openapi,
    asyncapi,
    importExtension: importExtension(folder),
  })
  writeFileSync(join(folder, file), config, { flag: 'wx' })
  const { name, add, exec } = packageManager(folder)
  const others = [...found.openapi.slice(1), ...found.asyncapi.slice(1)]
  print(
    [
      `${file} was written, ${contracts.length === 0 ? 'with a path to fill in: no OpenAPI or AsyncAPI document was found here' : `for ${contracts.join(' and ')}`}.`,
      ...(others.length > 0 ? [`Also found, and left out: ${others.join(', ')}.`] : []),
      '',
      'Next:',
      ...(contracts.length === 0 ? [`  write the path of your contract into ${file}`] : []),
      ...(manifest === undefined ? ['  npm init -y'] : []),
      `  ${add} @concord/runtime zod`,
      `  ${add} ${name === 'npm' ? '--save-dev' : '-D'} @concord/generate`,
      `  ${exec} concord-generate`,
    ].join('\n'),
  )
  return 0
}

/** The commands of the package manager whose lock file is in a folder, or in one above it. */
function packageManager(folder: string): {
  readonly name: string
  readonly add: string
  readonly exec: string
} {
  const found = [
    { name: 'pnpm', files: ['pnpm-lock.yaml'], exec: 'pnpm exec' },
    { name: 'yarn', files: ['yarn.lock'], exec: 'yarn' },
    { name: 'bun', files: ['bun.lock', 'bun.lockb'], exec: 'bunx' },
    { name: 'npm', files: ['package-lock.json'], exec: 'npx' },
  ].find(({ files }) => files.some((file) => existsSync(join(folder, file))))
  if (found === undefined)
    return dirname(folder) === folder
      ? { name: 'npm', add: 'npm install', exec: 'npx' }
      : packageManager(dirname(folder))
  const { name, exec } = found
  return { name, add: name === 'npm' ? 'npm install' : `${name} add`, exec }
}

interface Manifest {
  readonly name?: string
  readonly type?: string
}

function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  } catch {
    return undefined
  }
}

/** The contracts of a project, by what their first lines say, those nearest to its root first. */
function findContracts(root: string): {
  readonly openapi: readonly string[]
  readonly asyncapi: readonly string[]
} {
  const openapi: string[] = []
  const asyncapi: string[] = []
  const look = (folder: string, depth: number): void => {
    const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )
    for (const entry of entries) {
      if (!entry.isFile() || !/\.(?:ya?ml|json)$/i.test(entry.name)) continue
      const path = join(folder, entry.name)
      const found =
        /^\s*(?:\{\s*)?["']?(openapi|asyncapi)["']?\s*:|[{,]\s*"(openapi|asyncapi)"\s*:\s*"[23]/m.exec(
          readFileSync(path, 'utf8').slice(0, 4000),
        )
      const kind = found?.[1] ?? found?.[2]
      if (kind !== undefined)
        (kind === 'openapi' ? openapi : asyncapi).push(relative(root, path).replaceAll('\\', '/'))
    }
    for (const entry of entries)
      if (depth < MAX_DEPTH && entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name))
        look(join(folder, entry.name), depth + 1)
  }
  look(root, 1)
  const nearest = (files: string[]) => files.toSorted((a, b) => a.split('/').length - b.split('/').length)
  return { openapi: nearest(openapi), asyncapi: nearest(asyncapi) }
}

/** A name for the service, from that of the package or the folder. */
function serviceName(name: string): string {
  const words = name
    .replace(/^@[^/]*\//, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[-0-9]+|-+$/g, '')
  return words === '' ? 'service' : words
}

/** Compilers want `.js` by default. A project without a compiler runs its TypeScript directly. */
function importExtension(folder: string): '.ts' | '.js' {
  const file = join(folder, 'tsconfig.json')
  if (!existsSync(file)) return '.ts'
  return /"(?:allowImportingTsExtensions|rewriteRelativeImportExtensions)"\s*:\s*true/.test(
    readFileSync(file, 'utf8'),
  )
    ? '.ts'
    : '.js'
}

function configText(found: {
  readonly name: string
  readonly openapi: string | undefined
  readonly asyncapi: string | undefined
  readonly importExtension: '.ts' | '.js'
}): string {
  const text = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
  return `import { defineConfig } from '@concord/generate'

// Every member is described in node_modules/@concord/generate/README.md, under "The config".
export default defineConfig({
  services: [
    {
      // The generated interface and class are named after it.
      name: ${text(found.name)},
      // A path, or an http(s) address.
      ${found.openapi === undefined && found.asyncapi !== undefined ? '// ' : ''}openapi: ${text(found.openapi ?? 'openapi.yaml')},
      ${found.asyncapi === undefined ? '// ' : ''}asyncapi: ${text(found.asyncapi ?? 'asyncapi.yaml')},
      // Changes to the contracts that aren't yours to edit, such as x-retry and x-secret: https://spec.openapis.org/overlay
      // overlays: ['overlay.yaml'],
      output: 'src/gen',
      // How generated files import each other. '.js' if a compiler without allowImportingTsExtensions reads them.
      importExtension: '${found.importExtension}',
      // Fails if less than this percentage of the contract can be generated exactly.
      // minFidelity: 99,
    },
  ],
})
`
}
