import { defineConfig } from 'tsdown'

import { base } from '../../tools/check/tsdown.base.ts'

export default defineConfig({
  ...base({ index: 'src/index.ts', cli: 'src/cli.ts' }),
  platform: 'node',
  // What stands in package.json is installed, not copied; choices replace what the package itself uses.
  deps: { neverBundle: [/^[@a-z]/] },
})
