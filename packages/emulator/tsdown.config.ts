import { defineConfig } from 'tsdown'

import { base } from '../../tools/check/tsdown.base.ts'

export default defineConfig({
  ...base({ index: 'src/index.ts', cli: 'src/cli.ts' }),
  platform: 'node',
  // Dependencies of package.json are installed, not copied; choices replace what the package itself uses.
  deps: { alwaysBundle: ['@concord/spec-model'], neverBundle: [/^(?!@concord\/spec-model$)[@a-z]/] },
})
