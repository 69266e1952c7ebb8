import { defineConfig } from 'vitest/config'

import { base } from '../tools/check/vitest.base.ts'

// Vitest hands these conditions to Node, where they hold for `require` too. With `import` among them, a dependency of
// the AsyncAPI parser is required as the ES module that it cannot be.
export default defineConfig({
  ...base,
  ssr: { resolve: { conditions: ['@concord/source', 'node', 'module'] } },
})
