import { defineConfig } from 'tsdown'

import { base, declarations } from '../../tools/check/tsdown.base.ts'

const entry = { index: 'src/index.ts' }
const shared = { format: 'esm', platform: 'node' } as const

export default defineConfig([
  { ...base(entry), ...shared },
  { ...declarations(entry), ...shared },
])
