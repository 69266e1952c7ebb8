import {
  ContractDriftError,
  type CallOptions,
  type Client,
  type Issue,
  type Observe,
  type StandardSchema,
} from '@concord/runtime'
import {
  defineOperationKind,
  type OperationKind,
  PollScheduler,
  RequestBudget,
  systemClock,
} from '@concord/runtime/internal'
import type { Job, OptimizationJob } from '@concord/extraction-validators'

import { JobFailedError, OptimizationFailedError } from './errors.ts'
import { getJob, getOptimizationJob, getOptimizedSchema } from './gen/operations.gen.ts'
import { fieldIssues, jobIssues, toCompletedJob, type CompletedJob } from './jobs.ts'
import type { ExtractionOptions } from './options.ts'
import type { CompletedOptimization } from './optimizer.ts'
import { readJobText } from './job-text.ts'

/** A failed poll isn't retried; the next poll follows on schedule. */
const ONE_ATTEMPT = { maxAttempts: 1 } as const satisfies CallOptions

/** The extracted fields have the type `never` here. The client's methods return handles with the real type. */
type JobKind = OperationKind<Job, CompletedJob<never>>

/** Polls the jobs and optimization runs of a client until they end. */
export class Waits {
  readonly optimizations: OperationKind<OptimizationJob, CompletedOptimization>
  readonly #client: Client
  readonly #options: ExtractionOptions
  readonly #scheduler: PollScheduler
  readonly #openJobs: JobKind

  constructor(client: Client, budget: RequestBudget | undefined, options: ExtractionOptions) {
    const { polling, random } = options
    this.#client = client
    this.#options = options
    this.#scheduler = new PollScheduler({
      clock: client.clock,
      ...(random && { random }),
      ...(polling?.connections !== undefined && { maxInFlight: polling.connections }),
      ...(budget && { budget }),
    })
    this.#openJobs = this.#jobKind(undefined)
    this.optimizations = defineOperationKind<OptimizationJob, CompletedOptimization>({
      kind: 'extraction.optimization',
      label: 'Optimization',
      operation: getOptimizationJob.id,
      waiter: getOptimizationJob.waiter!,
      scheduler: this.#scheduler,
      polling: polling?.optimization,
      poll: (job_id, signal) =>
        client.exchange(getOptimizationJob, { path: { job_id } }, { ...ONE_ATTEMPT, signal }),
      failure: ({ id, snapshot, operation }) => new OptimizationFailedError(id, snapshot, { operation }),
      result: (job, job_id) => {
        const schema = () => client.send(getOptimizedSchema, { path: { job_id } })
        return Object.defineProperty({ ...job }, 'schema', {
          value: schema,
        }) as unknown as CompletedOptimization
      },
      observe: (event) => client.emit(event),
    })
  }

  /** Without `fields`, the extracted values aren't checked. */
  jobs(fields: StandardSchema | undefined): JobKind {
    return fields === undefined ? this.#openJobs : this.#jobKind(fields)
  }

  wake(jobId: string): void {
    this.#scheduler.wake(jobId, 'extraction.job')
  }

  close(): void {
    this.#scheduler.close()
  }

  #jobKind(fields: StandardSchema | undefined): JobKind {
    const client = this.#client
    return defineOperationKind<Job, CompletedJob<never>>({
      kind: 'extraction.job',
      label: 'Job',
      operation: getJob.id,
      waiter: getJob.waiter!,
      scheduler: this.#scheduler,
      polling: this.#options.polling?.job,
      poll: (job_id, signal) => client.exchange(getJob, { path: { job_id } }, { ...ONE_ATTEMPT, signal }),
      failure: ({ snapshot, operation }) => {
        this.#reportJob(jobIssues(snapshot))
        return new JobFailedError(snapshot, { operation })
      },
      result: (job) => {
        this.#checkJob(job, 'the job', 'the contract', jobIssues)
        if (fields !== undefined)
          this.#checkJob(job, 'the data of the job', 'the schema you passed', (each) =>
            fieldIssues(each, fields),
          )
        return toCompletedJob(job, (url, reading) => readJobText(client, this.#options.baseUrl, url, reading))
      },
      observe: (event) => client.emit(event),
    })
  }

  #checkJob(job: Job, what: string, rule: string, issuesOf: (job: Job) => readonly Issue[]): void {
    const { validate = 'report' } = this.#options
    if (validate === 'off') return
    const issues = issuesOf(job)
    if (validate === 'report' || issues.length === 0) return this.#reportJob(issues)
    const list = issues.slice(0, 5).map(({ path, reason }) => `${path}: ${reason}`)
    throw new ContractDriftError(
      `getJob: ${what} ${job.id} does not match ${rule}. ${list.join('; ')}.`,
      issues,
      job,
      { operation: getJob.id },
    )
  }

  #reportJob(issues: readonly Issue[]): void {
    if (issues.length === 0 || this.#options.validate === 'off') return
    this.#client.reportDrift({ operation: getJob.id, status: 200, issues })
  }
}

/** Creates the budget that keeps polls within the plan's rate limit. The returned `observe` counts other requests. */
export function requestBudget({ polling, clock = systemClock, observe }: ExtractionOptions): {
  readonly budget: RequestBudget | undefined
  readonly observe: Observe | undefined
} {
  if (polling?.requestsPerMinute === undefined) return { budget: undefined, observe }
  const { requestsPerMinute, reserve } = polling
  const budget = new RequestBudget({ clock, requestsPerMinute, ...(reserve !== undefined && { reserve }) })
  return {
    budget,
    observe(event) {
      // Skips `getJob` and `getOptimizationJob`, because the scheduler counts the polls. A caller's own call of these
      // operations can't be distinguished from a poll, so it isn't counted.
      if (
        event.type === 'request' &&
        event.operation !== getJob.id &&
        event.operation !== getOptimizationJob.id
      )
        budget.note()
      observe?.(event)
    },
  }
}
