import { OperationFailedError, RateLimitedError, RequestInvalidError } from '@concord/runtime'
import type { ConcordErrorOptions, ErrorResponse } from '@concord/runtime/internal'
import type {
  ErrorBody,
  Job,
  OptimizationJob,
  PageLimitDetail,
  RateLimitErrorBody,
} from '@concord/extraction-validators'

/**
 * The document exceeds a page limit of the plan (status 429). Retrying doesn't help: submit fewer pages, or switch to
 * another plan. The documentation doesn't say whether the limit is for one document or for the pages of a month.
 *
 * @see `specs/extraction/openapi.yaml#/components/schemas/PageLimitDetail`
 * @public
 */
export class PageLimitError extends RateLimitedError<RateLimitErrorBody> {
  static override readonly errorName = 'extraction.PageLimitError'

  readonly pageCount: number
  readonly maxPages: number
  /** The service's name for the plan. The names of the plans are not documented. */
  readonly plan: string

  constructor(
    message: string,
    response: ErrorResponse<RateLimitErrorBody>,
    detail: PageLimitDetail,
    options: ConcordErrorOptions = {},
  ) {
    super(message, response, { meaning: 'page-count', retryHelps: false }, options)
    this.pageCount = detail.page_count
    this.maxPages = detail.max_pages
    this.plan = detail.plan
  }
}

/**
 * The service reports that a job failed. `reason` is the service's own message for people, not a code. The client
 * can't derive advice from it, so `advice` is always `none`.
 *
 * @public
 */
export class JobFailedError extends OperationFailedError {
  static override readonly errorName = 'extraction.JobFailedError'
  readonly #job: Job

  constructor(job: Job, options: ConcordErrorOptions = {}) {
    const reason = job.error ?? ''
    const says = reason === '' ? 'The service reported no reason.' : `The service says: ${reason}`
    super(`The extraction job ${job.id} failed. ${says}`, { id: job.id, reason, advice: 'none' }, options)
    this.#job = job
  }

  /** The job as the service reported it. Logs of this error don't contain the job. */
  get job(): Job {
    return this.#job
  }
}

/** The service reports that an optimization failed or was canceled. It doesn't report a reason. @public */
export class OptimizationFailedError extends OperationFailedError {
  static override readonly errorName = 'extraction.OptimizationFailedError'
  readonly status: string
  readonly #job: OptimizationJob

  constructor(id: string, job: OptimizationJob, options: ConcordErrorOptions = {}) {
    super(
      `The optimization ${id} ended with the status '${job.status}'. The service reported no reason.`,
      { id, reason: '', advice: 'none' },
      options,
    )
    this.status = job.status
    this.#job = job
  }

  /** The optimization job as the service reported it. */
  get job(): OptimizationJob {
    return this.#job
  }
}

export function pageLimitDetail(body: unknown): PageLimitDetail | undefined {
  const detail = (body as Partial<ErrorBody> | null | undefined)?.detail
  if (typeof detail !== 'object' || detail === null) return undefined
  const found = detail as Partial<PageLimitDetail>
  const complete =
    typeof found.page_count === 'number' &&
    typeof found.max_pages === 'number' &&
    typeof found.plan === 'string'
  return found.error === 'page_count_exceeded' && complete ? (found as PageLimitDetail) : undefined
}

/** Returns the explanation from an error's response body, or `undefined` if the runtime should write one. */
export function explain(body: unknown): string | undefined {
  const detail = (body as Partial<ErrorBody> | null | undefined)?.detail
  if (typeof detail === 'string') return detail
  const limit = pageLimitDetail(body)
  if (limit)
    return `${limit.message ?? limit.error} (${limit.page_count} pages, at most ${limit.max_pages} on the plan '${limit.plan}')`
  return undefined
}

export function refineError(
  message: string,
  response: ErrorResponse,
  operation: string,
): PageLimitError | undefined {
  if (response.status !== 429) return undefined
  const detail = pageLimitDetail(response.body)
  return (
    detail &&
    new PageLimitError(message, response as ErrorResponse<RateLimitErrorBody>, detail, { operation })
  )
}

export function invalidSubmission(path: string, reason: string): RequestInvalidError {
  return new RequestInvalidError(
    `processDocument: ${path} ${reason}. Nothing was sent.`,
    [{ path, reason }],
    { operation: 'processDocument' },
  )
}
