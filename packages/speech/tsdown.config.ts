import { defineConfig } from 'tsdown'

import { client } from '../../tools/check/tsdown.base.ts'

export default defineConfig(client({ index: 'src/index.ts' }, ['src/client.ts']))
