import { defineConfig } from 'tsdown'

import { base } from '../../tools/check/tsdown.base.ts'

export default defineConfig({ ...base({ index: 'src/index.ts' }), platform: 'node' })
