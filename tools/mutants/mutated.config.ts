import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { mergeConfig } from 'vitest/config'
import type { TestSequencer, TestSpecification } from 'vitest/node'

import { base } from '../check/vitest.base.ts'
import { type Plan, WORK_FOLDER, workFolder } from './src/plan.ts'

const files = workFolder(process.env[WORK_FOLDER] ?? '')
const sources = JSON.parse(readFileSync(files.sources, 'utf8')) as Readonly<Record<string, string>>
const plan = JSON.parse(readFileSync(files.plan, 'utf8')) as Plan

/** Runs fast test files first, because slow ones don't have to run with the mutants that fast ones kill. */
class FastFirst implements TestSequencer {
  shard(specifications: TestSpecification[]): TestSpecification[] {
    return specifications
  }
  sort(specifications: TestSpecification[]): TestSpecification[] {
    const slowest = new Map<string, number>()
    for (const { file, durationMs } of Object.values(plan.tests)) {
      slowest.set(file, (slowest.get(file) ?? 0) + durationMs)
    }
    const of = ({ moduleId }: TestSpecification): number => slowest.get(moduleId) ?? 0
    return specifications.toSorted((a, b) => of(a) - of(b))
  }
}

/**
 * The tests that judge a mutant: those of its package, without the contract tests. A contract test calls every
 * operation, so it covers almost every line and would run, for minutes, for almost every mutant. Tests that kill processes
 * run a build of their own, in which no mutant is active.
 */
const config = mergeConfig(base, {
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load: (id: string) => sources[id.split('?')[0] ?? id],
    },
  ],
})
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
    '**/record-file.test.ts',
    '**/soak.test.ts',
    '**/socket/faults.test.ts',
    '**/ws-faults.test.ts',
    '**/malformed-upgrades.test.ts',
    // This file waits for real pings, which are late on a busy machine.
    '**/ws-socket.test.ts',
    // This file loads all modules again for each test. After a mutant has failed a test, the test can't pass again in
    // the same process.
    '**/poll/loading.test.ts',
  ],
  // Vitest finds a module in its cache by the file's text, which doesn't show the mutants. So each run has its own cache.
  fsModuleCachePath: join(process.env[WORK_FOLDER] ?? '', 'modules'),
  runner: join(import.meta.dirname, 'src', 'mutant-runner.ts'),
  sequence: { sequencer: FastFirst },
  pool: 'forks',
  maxWorkers: 1,
  hookTimeout: 20_000,
  execArgv: ['--max-old-space-size=3072'],
  dangerouslyIgnoreUnhandledErrors: true,
  onConsoleLog: () => false,
  reporters: ['dot'],
  outputFile: {},
}

export default config
