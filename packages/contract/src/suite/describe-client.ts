import { invalidOptions, loadSpec, type SocketSpec, type Spec } from '@concord/spec-model'

import type { Column } from '../coverage/matrix.ts'
import { type CoverageReport, mergeReports } from '../coverage/report.ts'
import type { Finding } from '../http/exchange.ts'
import { socketSpecOf } from '../socket/socket-spec.ts'
import { classSockets } from '../socket/suite/class-sockets.ts'
import { createSocketSuite, type SocketSuite } from '../socket/suite/socket-suite.ts'
import { classSubject, type ClientClassTests } from './client-class.ts'
import { createContractSuite, type ContractSuite, type SuiteOptions } from './suite.ts'
import { checkOptionNames, runnerOf } from './test-runner.ts'

/** Options of {@link describeClient}. @public */
export interface DescribeClientOptions
  extends ClientClassTests, Pick<SuiteOptions, 'seed' | 'sizes' | 'fidelity'> {
  /**
   * The OpenAPI document that the class was generated from: a file, the name of a service, or a loaded document.
   * Optional with `sockets`, for a service without operations.
   */
  readonly spec?: string | Spec
  /**
   * The AsyncAPI document that the class was generated from. If set, the class's WebSockets are tested, too. Requires
   * `channels`.
   */
  readonly sockets?: string | SocketSpec
  /** Also tests with Prism, which must be installed. Default: false. */
  readonly prism?: boolean
  /** Default: the global `describe`. */
  readonly describe?: (name: string, define: () => void) => unknown
  /** Default: the global `it`. */
  readonly it?: (name: string, run: () => Promise<void>, timeoutMs?: number) => unknown
  /** Default: the global `afterAll`. For `node:test`, pass its `after`. */
  readonly afterAll?: (run: () => Promise<void>) => unknown
}

/** The tests that {@link describeClient} defined. @public */
export interface DescribedClient extends Pick<ContractSuite, 'checks'> {
  /**
   * Returns the results so far, with operations and channels in one matrix. `skip` lists columns of the matrix that
   * this test run leaves out.
   */
  report(options?: { readonly skip?: readonly Column[] }): CoverageReport
}

/** Long enough for a test with thousands of calls on a busy machine. */
const TIMEOUT_MS = 120_000

/**
 * Defines the contract tests of a generated client class. There are tests for every request, response, error and schema
 * of the contract, and for every handshake, message and rule of its WebSockets.
 *
 * @example
 * ```ts
 * import { describeClient } from '@concord/contract'
 * import { afterAll, describe, it } from 'vitest'
 * import { BookShop } from '../src/gen/index.gen.ts'
 *
 * await describeClient({ spec: 'openapi.yaml', client: BookShop, describe, it, afterAll })
 * ```
 * @example A class with WebSockets
 * ```ts
 * import * as channels from '../src/gen/channels.gen.ts'
 *
 * const documents = { spec: 'openapi.yaml', sockets: 'asyncapi.yaml' }
 * await describeClient({ ...documents, client: BookShop, channels, describe, it, afterAll })
 * ```
 * @returns The tests. After they have run, `report` shows what they covered.
 * @throws ContractError if a document or the fidelity report can't be read, or an option is missing or invalid.
 * @public
 */
export async function describeClient(options: DescribeClientOptions): Promise<DescribedClient> {
  checkOptions(options)
  const runner = runnerOf('describeClient', options, ['describe', 'it', 'afterAll'])
  const sockets = options.sockets === undefined ? undefined : await socketSuite(options.sockets, options)
  const calls =
    options.spec === undefined
      ? undefined
      : await callSuite(options.spec, options).catch(async (error: unknown) => {
          await sockets?.close()
          throw error
        })
  const suites = [calls, sockets].filter((suite) => suite !== undefined)
  for (const suite of suites) defineTests(suite, options.client.name, runner)
  return {
    checks: suites.flatMap(({ checks }) => checks),
    report(settings) {
      const [first, ...others] = suites.map((suite) => suite.report(settings))
      if (!first) throw new Error('describeClient() has no suite to report on.')
      return mergeReports(first, ...others)
    },
  }
}

async function callSuite(source: string | Spec, options: DescribeClientOptions): Promise<ContractSuite> {
  const { prism = false, ...settings } = options
  const spec = typeof source === 'string' ? await loadSpec(source) : source
  const subject = classSubject(spec, options)
  return createContractSuite({ ...settings, spec, subject, ...(prism ? {} : { prism: false }) })
}

async function socketSuite(
  source: string | SocketSpec,
  options: DescribeClientOptions,
): Promise<SocketSuite> {
  const spec = await socketSpecOf(source)
  return createSocketSuite({ ...options, spec, subject: await classSockets(spec, options) })
}

function defineTests(
  { spec, checks, close }: ContractSuite | SocketSuite,
  client: string,
  { describe, it, afterAll }: Required<Pick<DescribeClientOptions, 'describe' | 'it' | 'afterAll'>>,
): void {
  describe(`${client} against ${spec.name}`, () => {
    for (const { name, run } of checks) {
      // The rest parameter keeps the function's `length` at 0. Otherwise, some runners would pass a `done` callback, and
      // wait until it is called.
      it(name, async (...[test]: readonly unknown[]) => throwFindings(await run(), test), TIMEOUT_MS)
    }
    afterAll(() => close())
  })
}

/** Fails the test if there are findings. Skips it instead if they all say that the contract has no valid example. */
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
  // In vitest, the test context is a function with members.
  (typeof test === 'object' || typeof test === 'function') &&
  test !== null &&
  'skip' in test &&
  typeof test.skip === 'function'

const OPTIONS = {
  spec: true,
  sockets: true,
  client: true,
  schemas: true,
  channels: true,
  options: true,
  errorName: true,
  seed: true,
  sizes: true,
  fidelity: true,
  prism: true,
  describe: true,
  it: true,
  afterAll: true,
} satisfies Record<keyof DescribeClientOptions, true>

function checkOptions(options: DescribeClientOptions): void {
  checkOptionNames('describeClient', options, OPTIONS)
  if (options.spec === undefined && options.sockets === undefined)
    throw invalidOptions(
      'describeClient() has no contract to test against.',
      'Pass the OpenAPI document as `spec`, the AsyncAPI document as `sockets`, or both.',
    )
  if (options.fidelity !== undefined && options.spec === undefined)
    throw invalidOptions(
      'describeClient() uses `fidelity` only for the operations and schemas of an OpenAPI document.',
      'Pass the OpenAPI document as `spec`, or leave `fidelity` out.',
    )
  if (options.sockets !== undefined && options.channels === undefined)
    throw invalidOptions(
      'describeClient() needs `channels` to test WebSockets, because the class passed as `client` contains neither the names of messages nor their checks.',
      "Pass every export of the generated file: `import * as channels from './gen/channels.gen.ts'`.",
    )
}
