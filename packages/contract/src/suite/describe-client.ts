import { ContractError, loadSpec, type Spec } from '@concord/spec-model'

import type { Finding } from '../http/exchange.ts'
import { classSubject, type ClientClassTests } from './client-class.ts'
import { createContractSuite, type ContractSuite, type SuiteOptions } from './suite.ts'

/** Options of {@link describeClient}. @public */
export interface DescribeClientOptions extends ClientClassTests, Pick<SuiteOptions, 'seed' | 'sizes'> {
  /** The OpenAPI document that the class was generated from: a file, the name of a service, or a loaded document. */
  readonly spec: string | Spec
  /** Tests with Prism as a second opinion, too. It has to be installed. Default: false. */
  readonly prism?: boolean
  /** Default: the global `describe`. */
  readonly describe?: (name: string, define: () => void) => unknown
  /** Default: the global `it`. */
  readonly it?: (name: string, run: () => Promise<void>, timeoutMs?: number) => unknown
  /** Default: the global `afterAll`; `after` in `node:test`. */
  readonly afterAll?: (run: () => Promise<void>) => unknown
}

/** For a test of thousands of calls on a busy machine. */
const TIMEOUT_MS = 120_000

/**
 * Defines the contract tests of a generated client class: every request, response, error and schema of the contract becomes a test.
 *
 * @example
 * ```ts
 * import { describeClient } from '@concord/contract'
 * import { afterAll, describe, it } from 'vitest'
 * import { BookShop } from '../src/gen/index.gen.ts'
 *
 * await describeClient({ spec: 'openapi.yaml', client: BookShop, describe, it, afterAll })
 * ```
 * @returns The suite, whose `report` shows what was covered once the tests have run.
 * @throws ContractError if the document can't be read, or an option is invalid.
 * @public
 */
export async function describeClient(options: DescribeClientOptions): Promise<ContractSuite> {
  checkOptionNames(options)
  const { describe, it, afterAll } = runnerOf(options)
  const { seed, sizes, prism = false } = options
  const spec = typeof options.spec === 'string' ? await loadSpec(options.spec) : options.spec
  const suite = await createContractSuite({
    spec,
    subject: classSubject(spec, options),
    ...(prism ? {} : { prism: false }),
    ...(seed !== undefined && { seed }),
    ...(sizes && { sizes }),
  })
  describe(`${options.client.name} against ${spec.name}`, () => {
    for (const { name, run } of suite.checks) {
      // A function with a declared parameter would have to call it in some runners.
      it(name, async (...[test]: readonly unknown[]) => throwFindings(await run(), test), TIMEOUT_MS)
    }
    afterAll(() => suite.close())
  })
  return suite
}

/** Fails the test; if the contract's examples are all that is wrong, skips it. */
function throwFindings(findings: readonly Finding[], test: unknown): void {
  if (findings.length === 0) return
  const isSkipped = findings.every(({ code }) => code === 'no-example') && canSkip(test)
  if (isSkipped) test.skip(findings.map(({ at, message }) => `${at}: ${message}`).join('; '))
  else throw new Error(findings.map(({ at, message }) => `${at}: ${message}`).join('\n'))
}

interface RunningTest {
  skip(note: string): void
}

const canSkip = (test: unknown): test is RunningTest =>
  // In vitest, it is a function with members.
  (typeof test === 'object' || typeof test === 'function') &&
  test !== null &&
  'skip' in test &&
  typeof test.skip === 'function'

const OPTIONS = {
  spec: true,
  client: true,
  schemas: true,
  options: true,
  errorName: true,
  seed: true,
  sizes: true,
  prism: true,
  describe: true,
  it: true,
  afterAll: true,
} satisfies Record<keyof DescribeClientOptions, true>

function checkOptionNames(options: object): void {
  const stray = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name))
  if (stray === undefined) return
  throw new ContractError(
    'invalid-options',
    `describeClient() has no option \`${stray}\`.`,
    `Its options are ${Object.keys(OPTIONS).join(', ')}.`,
  )
}

type Runner = Required<Pick<DescribeClientOptions, 'describe' | 'it' | 'afterAll'>>

function runnerOf(options: DescribeClientOptions): Runner {
  const globals = globalThis as Partial<Runner>
  const { describe = globals.describe, it = globals.it, afterAll = globals.afterAll } = options
  if (describe && it && afterAll) return { describe, it, afterAll }
  throw new ContractError(
    'invalid-options',
    'describeClient() found no `describe`, `it` and `afterAll` to define tests with.',
    'Import them from the test runner and pass them: describeClient({ describe, it, afterAll, ... }). In vitest, you can set `test.globals: true` instead.',
  )
}
