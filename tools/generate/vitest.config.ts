import { mergeConfig } from 'vitest/config'

import { base } from '../../tools/check/vitest.base.ts'

// Compilers and generators are started here, which takes a while on a machine that is busy with other packages.
export default mergeConfig(base, { test: { testTimeout: 120_000, hookTimeout: 120_000 } })
