import { defineConfig } from 'tsdown'

import { library } from '../../tools/check/tsdown.base.ts'

export default defineConfig(library({ index: 'src/gen/index.gen.ts' }))
