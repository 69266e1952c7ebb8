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
 * `zod/mini` checks objects property by property; classic zod compiles a function for each object schema where the host
 * allows that. The bundled `zod/mini` gets the same: measured on a job of 21 values, 4.2 instead of 7.5 us.
 */
const compiledObjects = {
  name: 'concord:compiled-objects',
  transform(code: string, id: string): string | undefined {
    if (!/zod[\\/]v4[\\/]mini[\\/]schemas\.js$/.test(id)) return undefined
    const changed = code.replace('core.$ZodObject.init(inst, def)', 'core.$ZodObjectJIT.init(inst, def)')
    if (changed === code)
      throw new Error(`${id} is not what it was; look at compiledObjects in tools/check/tsdown.base.ts`)
    return changed
  },
}

/**
 * How a client is built: its validators are bundled in, written against the same schemas but bound to `zod/mini`, a
 * third of the size of `zod`. The runtime stays outside, so that there is one copy of it. Declarations are made in a
 * pass of their own, in which zod stays outside: nothing public of a client is typed by it.
 */
export const client = (entry: Record<string, string>): UserConfig[] => [
  {
    ...base(entry),
    dts: false,
    alias: { zod: 'zod/mini' },
    plugins: [compiledObjects],
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
