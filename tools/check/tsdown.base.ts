import type { UserConfig } from 'tsdown'

/** How every published package is built: ESM, one file per entry, declarations bundled. */
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
  inputOptions: { resolve: { conditionNames: ['@concord/source', 'import', 'default'] } },
})
