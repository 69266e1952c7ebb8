import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { defineConfig } from 'tsdown'

import { tool } from '../../tools/check/tsdown.base.ts'
import * as ownFiles from './src/own-files.ts'

const content = Object.entries(ownFiles)
  .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`)
  .join('')

const [esModules = {}, , declarations = {}] = tool()

export default defineConfig([
  {
    ...esModules,
    plugins: [
      esModules.plugins ?? [],
      {
        name: 'own-files',
        load: (id: string) => (id.endsWith('/generate/src/own-files.ts') ? content : null),
      },
    ],
    hooks: {
      ...esModules.hooks,
      async 'build:done'(context) {
        if (typeof esModules.hooks === 'object') await esModules.hooks['build:done']?.(context)
        // hey-api can't be loaded by `require`, but a module that imports it can.
        const file = join(context.options.outDir, 'index.cjs')
        writeFileSync(file, "module.exports = require('./index.js')\n//# sourceMappingURL=index.cjs.map\n")
        writeFileSync(`${file}.map`, JSON.stringify({ version: 3, sources: [], names: [], mappings: '' }))
      },
    },
  },
  declarations,
])
