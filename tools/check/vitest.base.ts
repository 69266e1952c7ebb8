import { defineConfig } from 'vitest/config'

const conditions = ['@concord/source', 'node', 'import', 'module', 'default']

/** What every package's tests share: workspace packages come from source, results go to JUnit. */
export const base = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'contract/**/*.test.ts'],
    environment: 'node',
    passWithNoTests: false,
    allowOnly: false,
    fileParallelism: true,
    maxWorkers: 2,
    testTimeout: 20_000,
    reporters: ['default', 'junit'],
    outputFile: { junit: 'reports/junit.xml' },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts', 'src/**/gen/**'] },
  },
})
