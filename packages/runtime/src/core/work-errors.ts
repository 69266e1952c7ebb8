import { ConcordError, type ConcordErrorOptions } from './error-base.ts'

/** What can be done about a failed piece of work. @public */
export type FailureAdvice = 'retry' | 'change-prompt' | 'fix-input' | 'none'

/** The service reports that the work itself failed. Services extend it. @public */
export class OperationFailedError extends ConcordError {
  static override readonly errorName: string = 'OperationFailedError'

  /** The id of the piece of work. */
  readonly id: string
  /** The service's own reason; empty when it gave none. */
  readonly reason: string
  readonly advice: FailureAdvice

  constructor(
    message: string,
    failure: { readonly id: string; readonly reason: string; readonly advice: FailureAdvice },
    options: ConcordErrorOptions = {},
  ) {
    super('operation-failed', message, options)
    this.id = failure.id
    this.reason = failure.reason
    this.advice = failure.advice
  }
}

/**
 * Why a download did not complete: the link has expired, or is refused in a way that does not say why (it may have
 * expired), or nothing is there; there is more than the caller allows; the content does not have the expected length or
 * digest; or the connection was lost.
 *
 * @public
 */
export type DownloadFailure = 'expired' | 'refused' | 'missing' | 'too-large' | 'checksum' | 'interrupted'

/** A download did not complete; the target was not touched. @public */
export class DownloadError extends ConcordError {
  static override readonly errorName: string = 'DownloadError'

  readonly failure: DownloadFailure
  /** How much had come. */
  readonly bytesSoFar: number
  /** The status of the last answer, where there was one. */
  declare readonly status?: number

  constructor(
    message: string,
    at: {
      readonly failure: DownloadFailure
      readonly bytesSoFar: number
      readonly status?: number | undefined
    },
    options: ConcordErrorOptions = {},
  ) {
    super('download', message, options)
    this.failure = at.failure
    this.bytesSoFar = at.bytesSoFar
    if (at.status !== undefined) this.status = at.status
  }
}

/**
 * An authorization did not come about: the user denied it (`authorization-denied`), did not give it in time
 * (`authorization-expired`), or it ended in another way (`authorization-failed`).
 *
 * @public
 */
export class AuthorizationError extends ConcordError {
  static override readonly errorName: string = 'AuthorizationError'

  constructor(
    outcome: 'authorization-denied' | 'authorization-expired' | 'authorization-failed',
    message: string,
    options: ConcordErrorOptions = {},
  ) {
    super(outcome, message, options)
  }
}
