import type { UserConfig } from 'tsdown'

/** The build of every published package: ESM, one file per entry plus shared ones, declarations bundled. */
export const base = (entry: Record<string, string>): UserConfig => ({
  entry,
  format: 'esm',
  platform: 'neutral',
  target: 'es2024',
  outDir: 'dist',
  dts: true,
  clean: true,
  sourcemap: false,
  fixedExtension: false,
  hash: false,
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
    outputOptions: {
      chunkFileNames: ({ facadeModuleId }) =>
        facadeModuleId?.includes('-validators') ? 'schemas.js' : '[name].js',
    },
    deps: { alwaysBundle: [validators, /^zod/], neverBundle: [runtime, /^#/, /^node:/], onlyBundle: false },
  },
  {
    ...base(entry),
    clean: false,
    dts: { emitDtsOnly: true },
    // Otherwise a bare `import 'zod'` would remain, and consumers don't have to install zod.
    treeshake: { moduleSideEffects: false },
    deps: { alwaysBundle: [validators], neverBundle: [runtime, /^#/, /^node:/, /^zod/], onlyBundle: false },
  },
]
