import { mergeConfig } from 'vitest/config'

import { base } from '../check/vitest.base.ts'

export default mergeConfig(base, {})
