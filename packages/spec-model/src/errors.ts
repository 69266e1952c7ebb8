/** The stable codes of {@link ContractError.code}. @public */
export type ContractErrorCode =
  | 'spec-not-found'
  | 'spec-unreadable'
  | 'spec-unsupported'
  | 'spec-incomplete'
  | 'invalid-options'
  | 'unreachable'

/**
 * The contract tests couldn't be set up. Mistakes in a client or a service never cause this error; they are findings
 * in a report.
 *
 * @public
 */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  /** The kind of failure; stable across versions. */
  readonly code: ContractErrorCode
  /** How to fix the problem. */
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

export function invalidOptions(
  problem: string,
  remedy: string,
  options?: { readonly cause?: unknown },
): ContractError {
  return new ContractError('invalid-options', problem, remedy, options)
}

export function unsupportedSpec(
  problem: string,
  remedy: string,
  options?: { readonly cause?: unknown },
): ContractError {
  return new ContractError('spec-unsupported', problem, remedy, options)
}

export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
