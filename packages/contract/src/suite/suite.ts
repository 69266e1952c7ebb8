import { loadSpec, schemaOracle, type Spec } from '@concord/spec-model'
import { listRows, type Column } from '../coverage/matrix.ts'
import { makeReport, type CellResult, type CoverageReport } from '../coverage/report.ts'
import type { Finding } from '../http/exchange.ts'
import { Front } from '../http/front.ts'
import { startPrism, type PrismHost } from '../http/prism.ts'
import { cellOf, defaultSizes, type Check, type SuiteContext, type SuiteSizes } from './context.ts'
import { mockChecks } from './mock-checks.ts'
import { randomChecks } from './random-checks.ts'
import { requestChecks } from './request-checks.ts'
import type { ContractSubject } from './subject.ts'
import { validatorChecks } from './validator-checks.ts'
import { runWalk, type Walk, type WalkStepResult } from './walk.ts'

/** How {@link createContractSuite} works. @public */
export interface SuiteOptions {
  /** A file, the name of a service of `@concord/specs`, or a document that was read before. */
  readonly spec: string | Spec
  readonly subject: ContractSubject
  /** The same seed produces the same random answers. Default `concord`. */
  readonly seed?: string
  /** How much is tried; what is left out keeps its default. */
  readonly sizes?: Partial<SuiteSizes>
  /**
   * A Prism that runs already, from {@link startContractMock}: for many suites of one spec in a row. It is not
   * closed with the suite.
   */
  readonly prism?: PrismHost
}

/** One check of a suite, to be run as a test of its own. @public */
export interface SuiteCheck {
  /** For instance `getJob 404 application/json unknown_job: mock`. */
  readonly name: string
  readonly column: Column
  /** The row of the matrix that it is for. */
  readonly row: string
  /** Runs it once and returns its findings; empty if nothing is wrong. */
  run(): Promise<readonly Finding[]>
}

/** The contract tests of one client. @public */
export interface ContractSuite {
  readonly spec: Spec
  readonly checks: readonly SuiteCheck[]
  /** Runs every check that has not been run. */
  runAll(): Promise<void>
  /** Walks through an emulator; fills the column `emulator`. Returns the findings of every step. */
  walk(walk: Walk): Promise<readonly WalkStepResult[]>
  /** The results so far. `skip` names columns that were not meant to run. */
  report(options?: { readonly skip?: readonly Column[] }): CoverageReport
  close(): Promise<void>
}

/**
 * Makes the contract tests of a client. The spec lists what has to be covered.
 *
 * @throws ContractError when the spec cannot be read, or Prism cannot be loaded.
 * @public
 */
export async function createContractSuite(options: SuiteOptions): Promise<ContractSuite> {
  const spec = typeof options.spec === 'string' ? await loadSpec(options.spec) : options.spec
  const prism = options.prism ?? (await startPrism(spec))
  const context: SuiteContext = {
    spec,
    oracle: schemaOracle(spec),
    closedOracle: schemaOracle(spec, { closedEnums: true }),
    subject: options.subject,
    front: await Front.start(),
    prism,
    seed: options.seed ?? 'concord',
    sizes: { ...defaultSizes, ...options.sizes },
  }
  const results: CellResult[] = []
  const walkProblems: { name: string; finding: Finding }[] = []
  const rows = listRows(spec, context.oracle)
  // The quick ones first: a client that is wrong is found out sooner.
  const requests = requestChecks(context)
  const checks = [
    ...requests.filter((check) => check.column === 'request'),
    ...mockChecks(context),
    ...validatorChecks(context),
    ...requests.filter((check) => check.column !== 'request'),
    ...randomChecks(context),
  ].map((check) => suiteCheck(check, context, results))

  return {
    spec,
    checks,
    async runAll() {
      for (const check of checks) await check.run()
    },
    async walk(walk) {
      const { steps, cells } = await runWalk(context, walk)
      results.push(...cells)
      // Findings outside of documented answers have no cell, and must not be lost.
      for (const { name, findings } of steps)
        for (const finding of findings) walkProblems.push({ name, finding })
      return steps
    },
    report: ({ skip = [] } = {}) =>
      makeReport({ service: options.subject.service, spec: { name: spec.name } }, rows, results, {
        skippedColumns: skip,
        otherProblems: walkProblems.map(
          ({ name, finding }) => `walk | ${name}: [${finding.code}] ${finding.at}: ${finding.message}`,
        ),
      }),
    async close() {
      await context.front.close()
      if (!options.prism) await prism.close()
    },
  }
}

/** Starts Prism for a spec, for {@link SuiteOptions.prism}. @public */
export async function startContractMock(spec: string | Spec): Promise<PrismHost> {
  return startPrism(typeof spec === 'string' ? await loadSpec(spec) : spec)
}

function suiteCheck(check: Check, context: SuiteContext, results: CellResult[]): SuiteCheck {
  const { row, column } = check
  let done: Promise<readonly Finding[]> | undefined
  const run = async (): Promise<readonly Finding[]> => {
    const result = await check.run(context)
    results.push({ row, column, cell: cellOf(result) })
    return result.findings
  }
  return { name: `${row.replaceAll(' | ', ' ')}: ${column}`, column, row, run: () => (done ??= run()) }
}
