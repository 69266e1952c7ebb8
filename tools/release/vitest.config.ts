import { mergeConfig } from 'vitest/config'

import { base } from '../check/vitest.base.ts'

// The parser of workflows imports JSON without saying so, which Node rejects and Vite reads.
export default mergeConfig(base, { test: { server: { deps: { inline: [/@actions\//] } } } })
