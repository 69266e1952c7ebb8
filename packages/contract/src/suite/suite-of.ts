import type { Column, Row } from '../coverage/matrix.ts'
import { makeReport, type CellResult, type CoverageReport } from '../coverage/report.ts'
import type { Finding } from '../http/exchange.ts'
import { cellOf, type Check } from './context.ts'

/** One check of a suite, to be run as a separate test. @public */
export interface SuiteCheck {
  /** The title of the test, for instance `response getJob 404 application/json unknown_job: mock`. */
  readonly name: string
  readonly column: Column
  /** The key of the check's row in the coverage matrix. */
  readonly row: string
  /**
   * Runs the check and returns its findings: an empty list if nothing is wrong. Later calls return the same findings
   * without running the check again.
   */
  run(): Promise<readonly Finding[]>
}

/** The contract tests of a client's calls or WebSockets. @public */
export interface Suite<Document, Walk, StepResult> {
  readonly spec: Document
  readonly checks: readonly SuiteCheck[]
  /** Runs every check that hasn't run yet. */
  runAll(): Promise<void>
  /**
   * Runs a walk: a script of calls to an emulator. Records the results in the report's column `emulator`, and returns
   * each step's findings.
   */
  walk(walk: Walk): Promise<readonly StepResult[]>
  /** Returns the results so far. `skip` lists the columns that this test run skips. */
  report(options?: { readonly skip?: readonly Column[] }): CoverageReport
  close(): Promise<void>
}

/** The parts that differ between the suites for calls and for WebSockets. */
interface SuiteParts<Document, Context, Walk, StepResult> {
  readonly spec: Document
  readonly service: string
  readonly context: Context
  readonly rows: readonly Row[]
  readonly checks: readonly Check<Context>[]
  runWalk(
    walk: Walk,
  ): Promise<{ readonly steps: readonly StepResult[]; readonly cells: readonly CellResult[] }>
  close(): Promise<void>
}

export function suiteOf<
  Document extends { readonly name: string },
  Context,
  Walk,
  StepResult extends { readonly name: string; readonly findings: readonly Finding[] },
>(parts: SuiteParts<Document, Context, Walk, StepResult>): Suite<Document, Walk, StepResult> {
  const { spec, service, context, rows } = parts
  const results: CellResult[] = []
  const walkProblems: string[] = []
  const checks = parts.checks.map((check): SuiteCheck => {
    const { row, column } = check
    let done: Promise<readonly Finding[]> | undefined
    const run = async (): Promise<readonly Finding[]> => {
      const result = await check.run(context)
      results.push({ row, column, cell: cellOf(result) })
      return result.findings
    }
    return { name: `${row.replaceAll(' | ', ' ')}: ${column}`, column, row, run: () => (done ??= run()) }
  })
  return {
    spec,
    checks,
    async runAll() {
      for (const check of checks) await check.run()
    },
    async walk(walk) {
      const { steps, cells } = await parts.runWalk(walk)
      results.push(...cells)
      // A finding about an undocumented response belongs to no cell. So the report also lists the walk's findings as
      // problems.
      for (const { name, findings } of steps)
        for (const { code, at, message } of findings)
          walkProblems.push(`walk | ${name}: [${code}] ${at}: ${message}`)
      return steps
    },
    report: ({ skip = [] } = {}) =>
      makeReport({ service, spec: { name: spec.name } }, rows, results, {
        skippedColumns: skip,
        otherProblems: walkProblems,
      }),
    close: () => parts.close(),
  }
}
