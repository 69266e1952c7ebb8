import type { Finding } from '../http/exchange.ts'

/**
 * `nothing-shown`: the response doesn't violate the contract, but an unrelated server could respond in the same way.
 * `not-run`: the request wasn't sent.
 *
 * @public
 */
export type VerifyState = 'pass' | 'fail' | 'nothing-shown' | 'not-run'

/** The result of a request, or the reason why it wasn't sent. @public */
export interface VerifyCheck {
  /** The kind of request, for instance `without a credential`. */
  readonly title: string
  readonly state: VerifyState
  /** The status of the response, if there was one. */
  readonly status?: number
  /** The reasons why the check failed, showed nothing, or wasn't run. */
  readonly reasons: readonly string[]
  readonly findings: readonly Finding[]
}

/**
 * The verdict on an operation. An operation fails if any of its checks fails. It passes if at least one check passes
 * and none fails.
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
  /** Whether HTTP operations or WebSocket channels were verified. */
  readonly what: 'operations' | 'channels'
  /** The base URL without credentials and query. */
  readonly baseUrl: string
  readonly operations: readonly OperationVerdict[]
  /** True if no check failed and `shortcomings` is empty. */
  readonly passed: boolean
  /**
   * The reasons, other than failed checks, why the verification failed. For instance, no operation responded with a
   * success, or the coverage is below `minCoverage`.
   */
  readonly shortcomings: readonly string[]
  /** Likely mistakes in the settings, such as a wrong path in the base URL. They are inferred from all responses. */
  readonly hints: readonly string[]
  /**
   * The number and the percentage of operations that responded with a success. For WebSockets: the number and the
   * percentage of channels on which the service sent a documented message.
   */
  readonly coverage: { readonly operations: number; readonly percent: number }
  /** How many operations have each state. */
  readonly counts: {
    readonly pass: number
    readonly fail: number
    readonly nothingShown: number
    readonly notRun: number
  }
}

export function notRun(title: string, reason: string): VerifyCheck {
  return { title, state: 'not-run', reasons: [reason], findings: [] }
}

export function isSuccess({ state, status = 400 }: VerifyCheck): boolean {
  return state === 'pass' && status < 400
}

interface ReportSettings {
  readonly minCoverage?: number | undefined
  readonly strict?: boolean | undefined
  readonly hints?: readonly string[]
  readonly what?: VerifyReport['what']
}

export const SUCCESS = {
  operations: 'responded with a success',
  channels: 'sent a documented message',
} as const

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
    ...(covered === 0 ? [`none of the ${what} ${SUCCESS[what]}`] : []),
    ...(percent < minCoverage
      ? [`${Math.floor(percent)} % of the ${what} ${SUCCESS[what]}, but ${minCoverage} % are required`]
      : []),
    ...(strict && skipped > 0
      ? [
          `${skipped} ${skipped === 1 ? 'check showed nothing or was' : 'checks showed nothing or were'} not run, which --strict doesn't allow`,
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
