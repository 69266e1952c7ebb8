import type { UserConfig } from 'tsdown'

/**
 * Names a file of shared code after the source folders in it, so that a stack trace says where it comes from.
 * Code that loads on demand keeps the name of the module that is imported.
 */
function chunkName({ name, facadeModuleId, moduleIds }: RenderedChunk): string {
  if (name.endsWith('.d')) return `${name}.ts`
  if (facadeModuleId != null) {
    const ofValidators = facadeModuleId.includes('-validators')
    return ofValidators ? 'schemas.js' : '[name].js'
  }
  const folders = moduleIds
    .map((id) => /\/src\/(?:([\w-]+)\/)?/.exec(id))
    .map((match) => match?.[1] ?? 'main')
  const unique = [...new Set(folders)].toSorted()
  if (moduleIds.length === 1) return `${name}.js`
  return unique.length > 3 ? 'shared.js' : `shared-${unique.join('-')}.js`
}

interface RenderedChunk {
  readonly name: string
  readonly facadeModuleId?: string | null | undefined
  readonly moduleIds: readonly string[]
}

/** How every published package is built: ESM with source maps, one file per entry plus shared files, declarations bundled. */
export const base = (entry: Record<string, string>): UserConfig => ({
  entry,
  format: 'esm',
  platform: 'neutral',
  target: 'es2024',
  outDir: 'dist',
  dts: { sourcemap: true },
  clean: true,
  sourcemap: true,
  fixedExtension: false,
  hash: false,
  outputOptions: { chunkFileNames: chunkName },
  logLevel: 'warn',
})

const validators = /^@concord\/[\w-]+-validators$/
const runtime = /^@concord\/runtime/

/**
 * The build of a client. Its validators are bundled as a file that is loaded only after a value failed its quick check, and
 * bound to `zod/mini`, a third of the size of `zod`. The runtime stays outside, so that there is one copy of it.
 * Declarations are built in a separate pass, in which zod stays outside: no public type of a client comes from it.
 */
export const client = (entry: Record<string, string>): UserConfig[] => [
  {
    ...base(entry),
    dts: false,
    alias: { zod: 'zod/mini' },
    deps: { alwaysBundle: [validators, /^zod/], neverBundle: [runtime, /^#/, /^node:/], onlyBundle: false },
  },
  {
    ...base(entry),
    clean: false,
    dts: { emitDtsOnly: true, sourcemap: true },
    // Otherwise a bare `import 'zod'` would remain, and consumers don't have to install zod.
    treeshake: { moduleSideEffects: false },
    deps: { alwaysBundle: [validators], neverBundle: [runtime, /^#/, /^node:/, /^zod/], onlyBundle: false },
  },
]
