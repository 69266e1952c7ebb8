import type { Finding } from '../http/exchange.ts'

/** What came of one request, or why none was sent. @public */
export interface VerifyCheck {
  /** What was tried: for instance `without a key`. */
  readonly title: string
  readonly state: 'pass' | 'fail' | 'not-run'
  /** The status of the answer, when one came. */
  readonly status?: number
  /** Why it was not run, or what is wrong. */
  readonly reasons: readonly string[]
  readonly findings: readonly Finding[]
}

/** What is known of one operation. It fails when one of its checks does, and passes when one passes and none fails. @public */
export interface OperationVerdict {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly state: 'pass' | 'fail' | 'not-run'
  readonly checks: readonly VerifyCheck[]
}

/** What a verification found. Plain data, without secrets. @public */
export interface VerifyReport {
  readonly service: string
  /** The address without credentials and query. */
  readonly baseUrl: string
  readonly operations: readonly OperationVerdict[]
  /** True when nothing failed, and something was run. */
  readonly passed: boolean
  readonly counts: { readonly pass: number; readonly fail: number; readonly notRun: number }
}

/** Puts the verdicts of operations together. */
export function verifyReport(
  service: string,
  baseUrl: string,
  operations: readonly Omit<OperationVerdict, 'state'>[],
): VerifyReport {
  const judged = operations.map((one) => ({ ...one, state: stateOf(one.checks) }))
  const count = (state: VerifyCheck['state']): number => judged.filter((one) => one.state === state).length
  const counts = { pass: count('pass'), fail: count('fail'), notRun: count('not-run') }
  return { service, baseUrl, operations: judged, passed: counts.fail === 0 && counts.pass > 0, counts }
}

function stateOf(checks: readonly VerifyCheck[]): VerifyCheck['state'] {
  if (checks.some((check) => check.state === 'fail')) return 'fail'
  return checks.some((check) => check.state === 'pass') ? 'pass' : 'not-run'
}
