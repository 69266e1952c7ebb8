import { mergeConfig } from 'vitest/config'

import { base } from '../check/vitest.base.ts'

// The parser of workflows imports JSON without an import attribute, which Node rejects and Vite accepts.
export default mergeConfig(base, { test: { server: { deps: { inline: [/@actions\//] } } } })
