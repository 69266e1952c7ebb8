import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import type { Rolldown, UserConfig } from 'tsdown'

/**
 * Names a file of shared code after its source folders, so that stack traces show where code comes from. Code that is
 * loaded on demand keeps the name of its module.
 */
function chunkName({ name, facadeModuleId, moduleIds }: RenderedChunk, extension: string): string {
  // Shared declarations are named after a module, which can be the `index` of a bundled package.
  if (name.endsWith('.d')) return name === 'index.d' ? 'shared.d.ts' : `${name}.ts`
  if (facadeModuleId != null) {
    const ofValidators = facadeModuleId.includes('-validators')
    return ofValidators ? `schemas${extension}` : `[name]${extension}`
  }
  const folders = moduleIds
    .map((id) => /\/src\/(?:([\w-]+)\/)?/.exec(id))
    .map((match) => match?.[1] ?? 'main')
  const unique = [...new Set(folders)].toSorted()
  if (moduleIds.length === 1) return `${name}${extension}`
  return unique.length > 3 ? `shared${extension}` : `shared-${unique.join('-')}${extension}`
}

interface RenderedChunk {
  readonly name: string
  readonly facadeModuleId?: string | null | undefined
  readonly moduleIds: readonly string[]
}

/**
 * The build of every published package: ES modules and CommonJS with source maps, one file per entry plus shared files,
 * and bundled declarations. See docs/decisions/0018-two-module-formats.md.
 */
export const base = (
  entry: Record<string, string>,
  codeSplitting?: Rolldown.OutputOptions['codeSplitting'],
): UserConfig => ({
  entry,
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2024',
  outDir: 'dist',
  dts: false,
  clean: true,
  sourcemap: true,
  fixedExtension: false,
  hash: false,
  outputOptions: (options, format) => ({
    ...options,
    ...(codeSplitting !== undefined && { codeSplitting }),
    chunkFileNames: (chunk) => chunkName(chunk, format === 'cjs' ? '.cjs' : '.js'),
    // Test runners that evaluate CommonJS in a separate context don't support `import()`.
    ...(format === 'cjs' && { dynamicImportInCjs: false }),
  }),
  checks: { legacyCjs: false, bundlerTimings: false, emptyImportMeta: false },
  logLevel: 'warn',
  plugins: [licenses()],
  hooks: { 'build:done': ({ options }) => slimMaps(options.outDir) },
})

/** Lists the packages that are copied into a bundle with their licenses, as the licenses require. */
function licenses(): Rolldown.Plugin {
  return {
    name: 'licenses',
    generateBundle(_, bundle) {
      const folders = new Set<string>()
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        for (const [id, { renderedLength }] of Object.entries(chunk.modules)) {
          const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
          if (folder !== undefined && renderedLength > 0) folders.add(folder)
        }
      }
      if (folders.size === 0) return
      const source = [...folders].map(licenseOf).toSorted().join('\n')
      this.emitFile({ type: 'asset', fileName: 'third-party-licenses.txt', source })
    },
  }
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} is bundled, but has no license file`)
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8')}`
}

interface Package {
  readonly name: string
  readonly version: string
  readonly license: string
}

/** Returns files and all files that load with them, through static imports and re-exports, but not `import()`. */
export function reached(files: readonly string[], found = new Set<string>()): ReadonlySet<string> {
  for (const file of files) {
    if (found.has(file)) continue
    found.add(file)
    const specifiers = readFileSync(file, 'utf8').matchAll(
      /^(?:import|export) (?!type )[^']*? from '(\..+)'$/gm,
    )
    reached(
      Array.from(specifiers, ([, specifier = '']) => join(dirname(file), specifier)),
      found,
    )
  }
  return found
}

/**
 * Removes the source text of bundled dependencies from maps. Removes the text of the package's own sources too, because
 * they are published as files, except in the maps that bundlers read. A file that consists only of dependencies gets an
 * empty map.
 */
function slimMaps(folder: string): void {
  const isForBundlers = (file: string): boolean => file.endsWith('.js.map') && basename(folder) === 'dist'
  for (const file of readdirSync(folder).filter((name) => /\.c?js\.map$/.test(name))) {
    const map = JSON.parse(readFileSync(join(folder, file), 'utf8')) as SourceMap
    const isForeign = map.sources.every((source) => source.includes('/node_modules/'))
    const isLeftOut = (source: string): boolean =>
      source.includes('/node_modules/') || (!isForBundlers(file) && /^(?:\.\.\/)+src\//.test(source))
    map.sourcesContent = map.sources.map((source, index) =>
      isLeftOut(source) ? null : (map.sourcesContent[index] ?? null),
    )
    writeFileSync(join(folder, file), JSON.stringify(isForeign ? EMPTY_MAP : map))
  }
}

const EMPTY_MAP = { version: 3, sources: [], names: [], mappings: '' }

interface SourceMap {
  readonly sources: readonly string[]
  sourcesContent: readonly (string | null)[]
}

/** The build of a package's declarations, which are bundled once, and copied for CommonJS. */
export const declarations = (entry: Record<string, string>): UserConfig => ({
  ...base(entry),
  format: 'esm',
  clean: false,
  plugins: [],
  dts: { emitDtsOnly: true, sourcemap: true },
  // Otherwise, an unused import of a package that consumers may not have would remain.
  treeshake: { moduleSideEffects: false },
  hooks: { 'build:done': ({ options }) => finishDeclarations(options.outDir) },
})

/** The build of a package that bundles no dependencies. */
export const library = (entry: Record<string, string>): UserConfig[] => [base(entry), declarations(entry)]

/**
 * Completes the declaration files. A file with disposable types gets a reference to the library that declares these,
 * because most projects don't name this library in their configuration. Each file also gets a copy for CommonJS, in
 * which only the extensions of imported files differ.
 */
function finishDeclarations(folder: string): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.d.ts'))) {
    const path = join(folder, file)
    const mapPath = `${path}.map`
    let text = readFileSync(path, 'utf8')
    let map = existsSync(mapPath) ? readFileSync(mapPath, 'utf8') : undefined
    if (/\bDisposable\b|\bAsyncDisposable\b|Symbol\.(?:dispose|asyncDispose)\b/.test(text)) {
      text = `/// <reference lib="esnext.disposable" />\n${text}`
      map = map?.replace('"mappings":"', '"mappings":";')
    }
    const copy = text
      .replaceAll(/(from |import\()(["'])(\.\.?\/[^"']+)\.js\2/g, '$1$2$3.cjs$2')
      .replace(/(sourceMappingURL=.+)\.d\.ts\.map/, '$1.d.cts.map')
    writeFileSync(path, text)
    writeFileSync(toCommonJs(path), copy)
    if (map === undefined) continue
    writeFileSync(mapPath, map)
    writeFileSync(toCommonJs(mapPath), map.replace(/"file":"([^"]+)\.d\.ts"/, '"file":"$1.d.cts"'))
  }
}

const toCommonJs = (path: string): string => path.replace(/\.d\.ts(\.map)?$/, '.d.cts$1')

/**
 * Replaces the environment variables that undici and ws read, since some hosts restrict access to them. As in Node
 * itself, the bundled undici doesn't use its experimental parser. ws doesn't use its native addons, which bundlers
 * would look for.
 */
export const withoutEnvironment: Record<string, string> = {
  esbuildDetection: '"1"',
  'process.env.JEST_WORKER_ID': 'undefined',
  'process.env.UNDICI_NO_WASM_SIMD': 'undefined',
  'process.env.WS_NO_BUFFER_UTIL': '"1"',
  'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
}

/**
 * The build of a package that runs in Node: `index` and other entries, also for CommonJS, and a command line.
 *
 * @param more.esModules Dependencies that are ES modules, or load one. The CommonJS build bundles a copy of them.
 */
export const tool = (
  more: { readonly entry?: Record<string, string>; readonly esModules?: readonly RegExp[] } = {},
): UserConfig[] => {
  const { esModules = [] } = more
  const index = { index: 'src/index.ts', ...more.entry }
  const shared: UserConfig = {
    platform: 'node',
    define: withoutEnvironment,
    deps: { alwaysBundle: ['@concord/spec-model'], onlyBundle: false },
  }
  return [
    { ...base({ ...index, cli: 'src/cli.ts' }), ...shared, format: 'esm' },
    {
      ...base(index),
      ...shared,
      format: 'cjs',
      clean: false,
      deps: { ...shared.deps, alwaysBundle: ['@concord/spec-model', ...esModules] },
    },
    { ...declarations(index), ...shared },
  ]
}

function isReached(files: readonly string[]): (id: string) => boolean {
  const found = reached(files.map((file) => join(process.cwd(), file)))
  return (id) => found.has(id)
}

const validators = /^@concord\/[\w-]+-validators$/
const runtime = /^@concord\/runtime/

/**
 * The build of a client. Its validators are bundled as a separate file with `zod/mini`, which is a third of the size of
 * `zod`. That file is only loaded after a value has failed its check. The runtime isn't bundled, so that there is only one
 * copy of it. Declarations are built in a separate pass without zod, since no public type of a client comes from it.
 *
 * @param first Modules that are bundled, with all that they import, into a separate file. That file contains nothing
 *   that could be loaded later, since the bundler of an application can't split a file.
 */
export const client = (entry: Record<string, string>, first: readonly string[] = []): UserConfig[] => [
  {
    ...base(entry, first.length === 0 ? undefined : { groups: [{ name: 'first', test: isReached(first) }] }),
    alias: { zod: 'zod/mini' },
    deps: { alwaysBundle: [validators, /^zod/], neverBundle: [runtime, /^#/, /^node:/], onlyBundle: false },
  },
  {
    ...declarations(entry),
    deps: { alwaysBundle: [validators], neverBundle: [runtime, /^#/, /^node:/, /^zod/], onlyBundle: false },
  },
]
