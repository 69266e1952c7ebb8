import { defineConfig } from 'vitest/config'

import { base, processTests } from './vitest.base.ts'

/** The configuration of the task `test:processes`, for the packages that have such tests. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: processTests,
    exclude: [],
    outputFile: { junit: 'reports/processes/junit.xml' },
  },
})
