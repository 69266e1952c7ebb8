import type { Finding } from '../http/exchange.ts'

/**
 * `nothing-shown`: a request was sent and its answer breaks nothing, but a server without any of the contract behind it
 * could have answered the same. `not-run`: nothing was sent.
 *
 * @public
 */
export type VerifyState = 'pass' | 'fail' | 'nothing-shown' | 'not-run'

/** The result of one request, or why none was sent. @public */
export interface VerifyCheck {
  /** The attempt, for instance `without a key`. */
  readonly title: string
  readonly state: VerifyState
  /** The status of the answer, when one came. */
  readonly status?: number
  /** Why it was not run, why it shows nothing, or what is wrong. */
  readonly reasons: readonly string[]
  readonly findings: readonly Finding[]
}

/**
 * The verdict on one operation. It fails when one of its checks does, and passes when one passes and none fails.
 *
 * @public
 */
export interface OperationVerdict {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly state: VerifyState
  readonly checks: readonly VerifyCheck[]
}

/** The result of a verification. Plain data, without secrets. @public */
export interface VerifyReport {
  readonly service: string
  /** The things that were verified: operations of HTTP, or channels of WebSockets. */
  readonly what: 'operations' | 'channels'
  /** The address without credentials and query. */
  readonly baseUrl: string
  readonly operations: readonly OperationVerdict[]
  /** True when nothing failed, a success was seen, and the coverage and strictness that were asked for were reached. */
  readonly passed: boolean
  /** Why the verification failed although no check did; empty otherwise. */
  readonly shortcomings: readonly string[]
  /** Conclusions about the settings, drawn from all responses together, such as a base address with a wrong path. */
  readonly hints: readonly string[]
  /** How many operations answered with a success, and the percentage of all that they are. */
  readonly coverage: { readonly operations: number; readonly percent: number }
  /** How many operations have each state. */
  readonly counts: {
    readonly pass: number
    readonly fail: number
    readonly nothingShown: number
    readonly notRun: number
  }
}

/** True for a check that passed with an answer below 400: a documented success. */
export function isSuccess({ state, status = 400 }: VerifyCheck): boolean {
  return state === 'pass' && status < 400
}

/** The settings of {@link verifyReport}, besides the verdicts. */
export interface ReportSettings {
  readonly minCoverage?: number | undefined
  readonly strict?: boolean | undefined
  readonly hints?: readonly string[]
  readonly what?: VerifyReport['what']
}

/** Puts the verdicts of operations together. */
export function verifyReport(
  service: string,
  baseUrl: string,
  operations: readonly Omit<OperationVerdict, 'state'>[],
  { minCoverage = 0, strict = false, hints = [], what = 'operations' }: ReportSettings = {},
): VerifyReport {
  const judged = operations.map((one) => ({ ...one, state: stateOf(one.checks) }))
  const count = (state: VerifyCheck['state']): number => judged.filter((one) => one.state === state).length
  const counts = {
    pass: count('pass'),
    fail: count('fail'),
    nothingShown: count('nothing-shown'),
    notRun: count('not-run'),
  }
  const covered = judged.filter(({ checks }) => checks.some(isSuccess)).length
  const percent = judged.length === 0 ? 0 : (100 * covered) / judged.length
  const skipped = judged
    .flatMap(({ checks }) => checks)
    .filter(({ state }) => state === 'not-run' || state === 'nothing-shown').length
  const shortcomings = [
    ...(covered === 0 ? [`none of the ${what} answered with a success`] : []),
    ...(percent < minCoverage
      ? [`${Math.floor(percent)} % of the ${what} answered with a success, ${minCoverage} % are required`]
      : []),
    ...(strict && skipped > 0
      ? [
          `${skipped} ${skipped === 1 ? 'check was not run or shows' : 'checks were not run or show'} nothing, and --strict allows none`,
        ]
      : []),
  ]
  const passed = counts.fail === 0 && shortcomings.length === 0
  const coverage = { operations: covered, percent }
  return { service, what, baseUrl, operations: judged, passed, shortcomings, hints, coverage, counts }
}

function stateOf(checks: readonly VerifyCheck[]): VerifyCheck['state'] {
  if (checks.some((check) => check.state === 'fail')) return 'fail'
  if (checks.some((check) => check.state === 'pass')) return 'pass'
  return checks.some((check) => check.state === 'nothing-shown') ? 'nothing-shown' : 'not-run'
}
