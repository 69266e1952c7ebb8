import { defineConfig } from 'tsdown'

import { tool } from '../../tools/check/tsdown.base.ts'

export default defineConfig(tool({ entry: { msw: 'src/msw.ts' }, esModules: [/^unpdf/] }))
