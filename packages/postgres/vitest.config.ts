import { mergeConfig } from 'vitest/config'

import { base } from '../../tools/check/vitest.base.ts'

export default mergeConfig(base, { test: { globalSetup: 'test/support/database-server.ts' } })
