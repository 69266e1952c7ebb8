import type { Finding } from '../http/exchange.ts'

/** The result of one request, or why none was sent. @public */
export interface VerifyCheck {
  /** The attempt, for instance `without a key`. */
  readonly title: string
  readonly state: 'pass' | 'fail' | 'not-run'
  /** The status of the answer, when one came. */
  readonly status?: number
  /** Why it was not run, or what is wrong. */
  readonly reasons: readonly string[]
  readonly findings: readonly Finding[]
}

/** The verdict on one operation. It fails when one of its checks does, and passes when one passes and none fails. @public */
export interface OperationVerdict {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly state: 'pass' | 'fail' | 'not-run'
  readonly checks: readonly VerifyCheck[]
}

/** The result of a verification. Plain data, without secrets. @public */
export interface VerifyReport {
  readonly service: string
  /** The address without credentials and query. */
  readonly baseUrl: string
  readonly operations: readonly OperationVerdict[]
  /** True when nothing failed, a success was seen, and the coverage and strictness that were asked for were reached. */
  readonly passed: boolean
  /** Why the verification failed although no check did; empty otherwise. */
  readonly shortcomings: readonly string[]
  /** How many operations answered with a success, and the percentage of all that they are. */
  readonly coverage: { readonly operations: number; readonly percent: number }
  readonly counts: { readonly pass: number; readonly fail: number; readonly notRun: number }
}

/** True for a check that passed with a 2xx answer. */
export function isSuccess({ state, status = 0 }: VerifyCheck): boolean {
  return state === 'pass' && status >= 200 && status < 300
}

/** Puts the verdicts of operations together. */
export function verifyReport(
  service: string,
  baseUrl: string,
  operations: readonly Omit<OperationVerdict, 'state'>[],
  { minCoverage = 0, strict = false }: { readonly minCoverage?: number; readonly strict?: boolean } = {},
): VerifyReport {
  const judged = operations.map((one) => ({ ...one, state: stateOf(one.checks) }))
  const count = (state: VerifyCheck['state']): number => judged.filter((one) => one.state === state).length
  const counts = { pass: count('pass'), fail: count('fail'), notRun: count('not-run') }
  const covered = judged.filter(({ checks }) => checks.some(isSuccess)).length
  const percent = judged.length === 0 ? 0 : (100 * covered) / judged.length
  const skipped = judged.flatMap(({ checks }) => checks).filter(({ state }) => state === 'not-run').length
  const shortcomings = [
    ...(covered === 0 ? ['no operation answered with a success'] : []),
    ...(percent < minCoverage
      ? [`${Math.floor(percent)} % of the operations answered with a success, ${minCoverage} % are required`]
      : []),
    ...(strict && skipped > 0 ? [`${skipped} checks were not run, and --strict allows none`] : []),
  ]
  const passed = counts.fail === 0 && shortcomings.length === 0
  const coverage = { operations: covered, percent }
  return { service, baseUrl, operations: judged, passed, shortcomings, coverage, counts }
}

function stateOf(checks: readonly VerifyCheck[]): VerifyCheck['state'] {
  if (checks.some((check) => check.state === 'fail')) return 'fail'
  return checks.some((check) => check.state === 'pass') ? 'pass' : 'not-run'
}
