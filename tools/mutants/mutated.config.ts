import { mergeConfig } from 'vitest/config'

import { base } from '../check/vitest.base.ts'

/**
 * The tests that judge a mutant: those of its package, without the contract tests. A contract test calls every
 * operation, so it covers almost every line and would run, for minutes, for almost every mutant. Tests that kill processes
 * run a build of their own, in which no mutant is active.
 */
const config = mergeConfig(base, {})
config.test = {
  ...config.test,
  include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  // Tests that run for seconds and cover every line would run for almost every mutant, too. Those that start processes or
  // a browser also run code there that isn't mutated.
  exclude: [
    '**/node_modules/**',
    'test/kills/**',
    'test/processes/**',
    'test/browser.test.ts',
    // Runs the source as another user, who can't read the copy.
    '**/record-file.test.ts',
    '**/soak.test.ts',
    '**/socket/faults.test.ts',
    '**/ws-faults.test.ts',
  ],
  reporters: ['default'],
  outputFile: {},
}

export default config
