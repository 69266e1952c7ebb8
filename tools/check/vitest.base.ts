import { defineConfig, mergeConfig } from 'vitest/config'

// Vitest passes these to Node, where they also apply to `require`. If `import` were included, a CommonJS dependency of
// the AsyncAPI parser would be loaded as an ES module, which fails.
const conditions = ['@concord/source', 'node', 'module']

/**
 * Tests that start many processes or wait often. With turbo, they are the task `test:processes`, so that a package's
 * other tests can run without them. `vitest run` in a package runs all of them.
 */
export const processTests = [
  'test/kills/**/*.test.ts',
  'test/processes/**/*.test.ts',
  'test/many-waits.test.ts',
]

/**
 * The configuration of every package's tests: uses the source of workspace packages, and writes results as JUnit XML.
 */
export const base = defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'contract/**/*.test.ts'],
    exclude: process.env['TURBO_HASH'] === undefined ? [] : processTests,
    environment: 'node',
    passWithNoTests: false,
    allowOnly: false,
    fileParallelism: true,
    // All test files of a worker share the loaded modules, because loading them again for each file took half of the
    // time. So a test must undo its changes to modules, to the environment, and to the global object.
    isolate: false,
    maxWorkers: 2,
    // Only a test that hangs should reach these limits, even on a busy machine. No test asserts how long something takes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', 'junit'],
    outputFile: { junit: 'reports/junit.xml' },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts', 'src/**/gen/**'] },
  },
})

/** Runs all tests with another package instead of zod. */
const withZod = (name: string, zod: 'zod' | 'zod-lowest' | 'zod/mini') => ({
  extends: true as const,
  resolve: { alias: [{ find: /^zod$/, replacement: zod }] },
  test: { name, provide: { zod }, include: ['test/**/*.test.ts'] },
})

/**
 * The configuration of a validators package: runs its tests with the lowest and highest supported zod, and with
 * `zod/mini`.
 */
export const validators = mergeConfig(base, {
  test: {
    projects: [
      withZod('highest zod', 'zod'),
      withZod('lowest zod', 'zod-lowest'),
      withZod('zod/mini', 'zod/mini'),
    ],
  },
})
