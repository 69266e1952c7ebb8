import { mergeConfig } from 'vitest/config'

import { base } from '../../tools/check/vitest.base.ts'

/** Runs all tests with another package in the place of zod. */
const withZod = (name: string, zod: 'zod' | 'zod-lowest' | 'zod/mini') => ({
  extends: true as const,
  resolve: { alias: [{ find: /^zod$/, replacement: zod }] },
  test: { name, provide: { zod }, include: ['test/**/*.test.ts'] },
})

export default mergeConfig(base, {
  test: {
    projects: [
      withZod('highest zod', 'zod'),
      withZod('lowest zod', 'zod-lowest'),
      withZod('zod/mini', 'zod/mini'),
    ],
  },
})
