import { defineConfig, type UserConfig } from 'tsdown'

import { base, declarations } from '../../tools/check/tsdown.base.ts'

const entry = { index: 'src/index.ts' }

const node: UserConfig = {
  platform: 'node',
  // Not bundled, so that the application has one copy of each: one set of error classes, and one database driver.
  deps: { neverBundle: [/^@concord\/runtime/, /^node:/, /^pg($|-)/, 'jose'] },
}

export default defineConfig([
  { ...base({ ...entry, cli: 'src/cli.ts' }), ...node, format: 'esm' },
  { ...base(entry), ...node, format: 'cjs', clean: false },
  { ...declarations(entry), ...node },
])
