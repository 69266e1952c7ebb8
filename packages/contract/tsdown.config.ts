import { defineConfig } from 'tsdown'

import { base } from '../../tools/check/tsdown.base.ts'

const shared = {
  ...base({ index: 'src/index.ts', cli: 'src/cli.ts' }),
  platform: 'node' as const,
  deps: { alwaysBundle: ['@concord/spec-model'], onlyBundle: false as const },
}

export default defineConfig([
  { ...shared, dts: false },
  // Otherwise an import of `ws` would stay in the declarations, which use nothing of it, and whose types a consumer
  // need not have.
  {
    ...shared,
    clean: false,
    dts: { emitDtsOnly: true, sourcemap: true },
    treeshake: { moduleSideEffects: false },
  },
])
