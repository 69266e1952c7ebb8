import type { UserConfig } from 'tsdown'

/** How every published package is built: ESM, one file per entry plus what they share, declarations bundled. */
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
 * How a client is built: its validators are bundled in as a file that is loaded when a value is refused, bound to
 * `zod/mini`, a third of the size of `zod`. The runtime stays outside, so that there is one copy of it. Declarations are
 * made in a pass of their own, in which zod stays outside: nothing public of a client is typed by it.
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
    // Otherwise a bare `import 'zod'` would stay, which a consumer need not have.
    treeshake: { moduleSideEffects: false },
    deps: { alwaysBundle: [validators], neverBundle: [runtime, /^#/, /^node:/, /^zod/], onlyBundle: false },
  },
]
