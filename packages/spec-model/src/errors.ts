/** The stable codes of {@link ContractError.code}. @public */
export type ContractErrorCode =
  | 'spec-not-found'
  | 'spec-unreadable'
  | 'spec-unsupported'
  | 'spec-incomplete'
  | 'invalid-options'
  | 'unreachable'

/**
 * The contract tests could not be set up. It is never used for a finding: mistakes of a client or a
 * service are in a report.
 *
 * @public
 */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  /** Says what kind of failure it is; stable across versions. */
  readonly code: ContractErrorCode
  /** How to fix it. */
  readonly remedy: string

  constructor(
    code: ContractErrorCode,
    problem: string,
    remedy: string,
    options?: { readonly cause?: unknown },
  ) {
    super(`${problem} ${remedy}`, options)
    this.code = code
    this.remedy = remedy
  }
}
