import { defineConfig } from 'tsdown'

import { library } from '../../tools/check/tsdown.base.ts'

export default defineConfig(
  library({ index: 'src/index.ts' }).map((config) => ({ ...config, format: 'esm', platform: 'node' })),
)
