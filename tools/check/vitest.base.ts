import { defineConfig, mergeConfig } from 'vitest/config'

// Vitest passes these to Node, where they apply to `require` too. With `import` among them, a CommonJS dependency of the
// AsyncAPI parser would be loaded as an ES module, which fails.
const conditions = ['@concord/source', 'node', 'module']

/**
 * The tests that start many processes or wait very often. Under turbo they are the task `test:processes`, so that a package's other
 * tests can run without them; `vitest run` in a package runs all of them.
 */
export const processTests = [
  'test/kills/**/*.test.ts',
  'test/processes/**/*.test.ts',
  'test/many-waits.test.ts',
]

/** The configuration of every package's tests: workspace packages come from source, results go to JUnit. */
export const base = defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'contract/**/*.test.ts'],
    exclude: process.env['TURBO_HASH'] === undefined ? [] : processTests,
    environment: 'node',
    passWithNoTests: false,
    allowOnly: false,
    fileParallelism: true,
    // Test files of a worker share modules that are loaded: loading them again took half of the time. So no test may leave
    // anything behind in a module, in the environment, or on the global object.
    isolate: false,
    maxWorkers: 2,
    // Only a test that hangs should reach it: a busy machine is slow, and no test asserts how long anything takes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', 'junit'],
    outputFile: { junit: 'reports/junit.xml' },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts', 'src/**/gen/**'] },
  },
})

/** Runs all tests with another package in place of zod. */
const withZod = (name: string, zod: 'zod' | 'zod-lowest' | 'zod/mini') => ({
  extends: true as const,
  resolve: { alias: [{ find: /^zod$/, replacement: zod }] },
  test: { name, provide: { zod }, include: ['test/**/*.test.ts'] },
})

/** The tests of a validators package run with the whole range of zod that it supports, and with `zod/mini`. */
export const validators = mergeConfig(base, {
  test: {
    projects: [
      withZod('highest zod', 'zod'),
      withZod('lowest zod', 'zod-lowest'),
      withZod('zod/mini', 'zod/mini'),
    ],
  },
})
