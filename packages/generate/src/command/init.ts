import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

import { CONFIG_NAMES, namedInPackage } from '../config/load-config.ts'
import { contractKind } from '../read/kind.ts'
import type { CliContext } from './command.ts'

/** Folders that aren't searched for contracts. */
const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'vendor'])
const MAX_DEPTH = 5

/** Writes a config for the contracts found in a project, and prints what to do next. Overwrites nothing. */
export function init({ folder, print, printError }: CliContext): number {
  const named = namedInPackage(folder)
  if (named !== undefined && !existsSync(resolve(folder, named))) {
    printError(
      `concord-generate: package.json names the config ${named}, which doesn't exist. Correct or remove \`concord\` in package.json, and run \`init\` again.`,
    )
    return 2
  }
  const before = named ?? CONFIG_NAMES.find((name) => existsSync(join(folder, name)))
  if (before !== undefined) {
    printError(
      `concord-generate: ${before} already exists, and was left unchanged. Edit it, or remove it and run \`init\` again.`,
    )
    return 2
  }
  const found = findContracts(folder)
  const manifest = readManifest(folder)
  // A .mts file is always an ES module. A .ts file is an ES module only if package.json has `"type": "module"`.
  const file = manifest?.type === 'module' ? 'concord.config.ts' : 'concord.config.mts'
  const [{ path: openapi, title } = { path: undefined, title: undefined }] = found.openapi
  const [{ path: asyncapi } = { path: undefined }] = found.asyncapi
  const contracts = [openapi, asyncapi].filter((document) => document !== undefined)
  const config = configText({
    name:
      serviceName(title) ??
      serviceName(manifest?.name?.replace(/^@[^/]*\//, '') ?? basename(folder)) ??
      'service',
    openapi,
    asyncapi,
    importExtension: importExtension(folder),
  })
  writeFileSync(join(folder, file), config, { flag: 'wx' })
  const { name, add, exec } = packageManager(folder)
  const others = [...found.openapi.slice(1), ...found.asyncapi.slice(1)].map(({ path }) => path)
  const installed = { ...manifest?.dependencies, ...manifest?.devDependencies }
  const missing = (packages: readonly string[]) => packages.filter((each) => !(each in installed)).join(' ')
  const needed = missing(['@concord/runtime', 'zod'])
  // In a project without a compiler, Node runs the generated .ts files directly. It reads them as CommonJS if
  // package.json has `"type": "commonjs"`, which `npm init` writes.
  const isCommonJs =
    !existsSync(join(folder, 'tsconfig.json')) && (manifest === undefined || manifest.type === 'commonjs')
  print(
    [
      `${file} was written, ${contracts.length === 0 ? 'with a path to fill in: no OpenAPI or AsyncAPI document was found here' : `for ${contracts.join(' and ')}`}.`,
      ...(others.length > 0
        ? [
            `Also found, and left out: ${others.join(', ')}. To generate for one of them too, add a service with an \`output\` of its own.`,
          ]
        : []),
      '',
      'Next:',
      ...(contracts.length === 0 ? [`  write the path of your contract into ${file}`] : []),
      ...(manifest === undefined ? ['  npm init -y'] : []),
      ...(isCommonJs
        ? ['  npm pkg set type=module        so that Node reads the generated .ts files as ES modules']
        : []),
      ...(needed === '' ? [] : [`  ${add} ${needed}`]),
      ...(missing(['@concord/generate']) === ''
        ? []
        : [`  ${add} ${name === 'npm' ? '--save-dev' : '-D'} @concord/generate`]),
      `  ${exec} concord-generate`,
    ].join('\n'),
  )
  return 0
}

/** Finds the package manager by its lock file, in `folder` or else in the folders above. Default: npm. */
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
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

interface FoundContract {
  readonly path: string
  readonly title: string | undefined
}

function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  } catch {
    return undefined
  }
}

/** Finds the contracts of a project by their content. The contracts closest to the root come first. */
function findContracts(root: string): {
  readonly openapi: readonly FoundContract[]
  readonly asyncapi: readonly FoundContract[]
} {
  const openapi: FoundContract[] = []
  const asyncapi: FoundContract[] = []
  const look = (folder: string, depth: number): void => {
    const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )
    for (const entry of entries) {
      if (!entry.isFile() || !/\.(?:ya?ml|json)$/i.test(entry.name)) continue
      const path = join(folder, entry.name)
      const found = contractKind(readFileSync(path, 'utf8'))
      if (found !== undefined)
        (found.kind === 'openapi' ? openapi : asyncapi).push({
          path: relative(root, path).replaceAll('\\', '/'),
          title: found.title,
        })
    }
    for (const entry of entries)
      if (depth < MAX_DEPTH && entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name))
        look(join(folder, entry.name), depth + 1)
  }
  look(root, 1)
  const depthOf = ({ path }: FoundContract) => path.split('/').length
  const nearest = (files: FoundContract[]) => files.toSorted((a, b) => depthOf(a) - depthOf(b))
  return { openapi: nearest(openapi), asyncapi: nearest(asyncapi) }
}

/** Words that are left out of a service's name, because they are common in titles. */
const GENERAL = /\b(?:apis?|openapi|swagger|public|rest|v?\d[\d.]*|specification|reference|documentation)\b/g

/**
 * Makes a service name from a title or a package name, without {@link GENERAL} words and without accents. Returns
 * undefined if the name would be empty, have more than four words, or need letters other than a to z.
 */
function serviceName(text = ''): string | undefined {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
  const words = plain
    .replaceAll(GENERAL, ' ')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[-0-9]+|-+$/g, '')
  const isOther = /[^\P{L}a-z]/u.test(plain)
  return isOther || words === '' || words.split('-').length > 4 ? undefined : words
}

/**
 * By default, compilers require imports to end in `.js`. Without a tsconfig.json, Node probably runs the .ts files
 * itself, and requires `.ts`.
 */
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
      // The generated interface and class are named after this.
      name: ${text(found.name)},
      // A path, or an http(s) address.
      ${found.openapi === undefined && found.asyncapi !== undefined ? '// ' : ''}openapi: ${text(found.openapi ?? 'openapi.yaml')},
      ${found.asyncapi === undefined ? '// ' : ''}asyncapi: ${text(found.asyncapi ?? 'asyncapi.yaml')},
      // Overlays change a contract that you can't edit, for example to add x-retry or x-secret: https://spec.openapis.org/overlay
      // overlays: ['overlay.yaml'],
      output: 'src/gen',
      // The extension in imports between generated files: '.js' if you compile without allowImportingTsExtensions.
      importExtension: '${found.importExtension}',
      // Generation fails if less than this percentage of the contract can be generated exactly.
      // minFidelity: 99,
    },
  ],
})
`
}
