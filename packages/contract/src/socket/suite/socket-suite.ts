import { ContractError, loadSocketSpec, schemaOracle, type SocketSpec } from '@concord/spec-model'
import type { CellResult, CoverageReport } from '../../coverage/report.ts'
import { makeReport } from '../../coverage/report.ts'
import type { Column } from '../../coverage/matrix.ts'
import type { Finding } from '../../http/exchange.ts'
import { cellOf, defaultSizes, type SuiteSizes } from '../../suite/context.ts'
import type { SuiteCheck } from '../../suite/suite.ts'
import { handshakeChecks } from './handshake-checks.ts'
import { messageChecks } from './message-checks.ts'
import { ruleChecks } from './rule-checks.ts'
import type { SocketCheck, SocketContext } from './socket-context.ts'
import { SocketFront } from './socket-front.ts'
import { listSocketRows } from './socket-rows.ts'
import type { SocketSubject } from './socket-subject.ts'
import { runSocketWalk, type SocketStepResult, type SocketWalk } from './socket-walk.ts'

/** How {@link createSocketSuite} works. @public */
export interface SocketSuiteOptions {
  /** A file, the name of a service of `@concord/specs`, or a document that was read before. */
  readonly spec: string | SocketSpec
  readonly subject: SocketSubject
  /** The same seed produces the same random messages. Default `concord`. */
  readonly seed?: string
  /** How much is tried; what is left out keeps its default. */
  readonly sizes?: Partial<SuiteSizes>
}

/** The contract tests of the sockets of one client. @public */
export interface SocketSuite {
  readonly spec: SocketSpec
  readonly checks: readonly SuiteCheck[]
  /** Runs every check that has not been run. */
  runAll(): Promise<void>
  /** Walks through an emulator; fills the column `emulator`. Returns the findings of every step. */
  walk(walk: SocketWalk): Promise<readonly SocketStepResult[]>
  /** The results so far. `skip` names columns that were not meant to run. */
  report(options?: { readonly skip?: readonly Column[] }): CoverageReport
  close(): Promise<void>
}

/**
 * Makes the contract tests of a client's sockets. The document lists what has to be covered.
 *
 * @throws ContractError when the document cannot be read.
 * @public
 */
export async function createSocketSuite(options: SocketSuiteOptions): Promise<SocketSuite> {
  const spec = typeof options.spec === 'string' ? await loadSocketSpec(options.spec) : options.spec
  const odd = spec.channels.find(
    ({ address, sends, receives }) =>
      address.includes('{') || [...sends, ...receives].some(({ plain }) => plain),
  )
  if (odd)
    throw new ContractError(
      'spec-unsupported',
      `The channel ${odd.id} has a parameter in its address, or messages of text that isn't JSON, which this suite can't test.`,
      'Use verifySockets or the proxy for it.',
    )
  const context: SocketContext = {
    spec,
    oracle: schemaOracle(spec),
    subject: options.subject,
    front: await SocketFront.start(),
    seed: options.seed ?? 'concord',
    sizes: { ...defaultSizes, ...options.sizes },
  }
  const results: CellResult[] = []
  const walkProblems: string[] = []
  const rows = listSocketRows(spec)
  const checks = [...handshakeChecks(context), ...messageChecks(context), ...ruleChecks(context)].map(
    (check) => suiteCheck(check, context, results),
  )
  return {
    spec,
    checks,
    async runAll() {
      for (const check of checks) await check.run()
    },
    async walk(walk) {
      const { steps, cells } = await runSocketWalk(context, walk)
      results.push(...cells)
      for (const { name, findings } of steps)
        for (const one of findings)
          walkProblems.push(`walk | ${name}: [${one.code}] ${one.at}: ${one.message}`)
      return steps
    },
    report: ({ skip = [] } = {}) =>
      makeReport({ service: options.subject.service, spec: { name: spec.name } }, rows, results, {
        skippedColumns: skip,
        otherProblems: walkProblems,
      }),
    close: () => context.front.close(),
  }
}

function suiteCheck(check: SocketCheck, context: SocketContext, results: CellResult[]): SuiteCheck {
  const { row, column } = check
  let done: Promise<readonly Finding[]> | undefined
  const run = async (): Promise<readonly Finding[]> => {
    const result = await check.run(context)
    results.push({ row, column, cell: cellOf(result) })
    return result.findings
  }
  return { name: `${row.replaceAll(' | ', ' ')}: ${column}`, column, row, run: () => (done ??= run()) }
}
