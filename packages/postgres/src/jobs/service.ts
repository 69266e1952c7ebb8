import {
  type ConcurrencyLimit,
  type Duration,
  OperationFailedError,
  OptionsError,
  type RateLimit,
} from '@concord/runtime'
import { checkOptionNames, functionOption, parseDuration, type OptionNames } from '@concord/runtime/internal'

/** Describes the job whose result is stored. @public */
export interface JobContext {
  /** The name of the batch. */
  readonly batch: string
  /** The position of the request in the batch, from 0. */
  readonly index: number
  /**
   * The result's name, which is unique in the fleet: the service's name, the batch's name and the index, joined
   * with `-`. The name stays the same if the result is stored again.
   */
  readonly name: string
  /** The service's id for the work. */
  readonly id: string
  readonly signal: AbortSignal
}

/** The estimated cost of one request, in the service's own units, such as credits. @public */
export type CostEstimate = { readonly min: number; readonly max: number } | 'unknown'

/** The result of one poll. @public */
export type PollFinding<Result> =
  | {
      readonly state: 'pending'
      readonly status?: string | undefined
      /** How long the service asks to wait before the next poll of this work, in milliseconds. */
      readonly retryAfterMs?: number | undefined
    }
  | { readonly state: 'succeeded'; readonly status?: string | undefined; readonly result: Result }
  | { readonly state: 'failed'; readonly status?: string | undefined; readonly reason: string }

/** A handle for work at a service. Concord's clients return it from their submission methods. @public */
export interface WorkHandle<Result> {
  readonly id: string
  readonly status?: string | undefined
  readonly ended: boolean
  /** Polls once, without retries. Rejects with the service's error. */
  poll(options?: { readonly signal?: AbortSignal }): Promise<{ readonly retryAfterMs?: number | undefined }>
  /**
   * Returns the result, or throws `OperationFailedError` if the work failed. The fleet calls this method only after a
   * poll has found that the work ended.
   */
  wait(options?: { readonly signal?: AbortSignal }): Promise<Result>
  /** Absent if the service can't cancel work. */
  cancel?(options?: { readonly signal?: AbortSignal }): Promise<unknown>
}

/**
 * Stores one result. The fleet can call a sink again for the same job, for example after a crash. The sink must then
 * replace the earlier result, for example by naming files after `job.name`. The fleet keeps the sink's return value
 * in the job's row, as JSON.
 *
 * @public
 */
export type Sink<Result> = (result: Result, job: JobContext) => unknown

/** How a fleet works with one service. See {@link service}. @public */
export interface FleetService<Request = never, Result = unknown> {
  /** Decodes the request that a job's row contains, sends it once, and returns the service's id for the work. */
  readonly submit: (encoded: unknown, signal: AbortSignal) => Promise<string>
  /** Polls once. */
  readonly poll: (id: string, signal: AbortSignal) => Promise<PollFinding<Result>>
  /** Cancels the work. @returns false if the client can't cancel work. */
  readonly cancel: (id: string, signal: AbortSignal) => Promise<boolean>
  readonly store: Sink<Result>
  readonly cost: (request: Request) => CostEstimate
  readonly check: (request: Request) => void
  /** Turns a request into the JSON that the job's row contains. */
  readonly encode: (request: Request) => unknown
  readonly repeatable: boolean
  readonly firstDelayMs: number
  readonly minDelayMs: number
  readonly maxDelayMs: number
  readonly limits: ServiceLimits
}

/** A limit that many processes share: `postgresRateLimit`, `postgresSemaphore`, or another limit. @public */
export type SharedLimit = RateLimit | ConcurrencyLimit

/** Limits for the requests that a fleet sends to a service. @public */
export interface ServiceLimits {
  /** A worker acquires this limit before each submission, and releases the lease after recording the response. */
  readonly submit?: SharedLimit | undefined
  /** A worker acquires this limit before each poll. */
  readonly poll?: SharedLimit | undefined
  /**
   * The maximum number of unfinished jobs at the service, across all workers. A job counts from its submission until
   * a poll finds that the work has ended. Uncertain jobs don't count. All workers must pass the same number. Default:
   * no limit.
   */
  readonly unfinished?: number | undefined
}

/** Options of {@link service}. @public */
export interface ServiceOptions<Request, Result> {
  /**
   * Submits a request in a single attempt, and returns the service's `id` for the work. Pass the signal to the
   * client.
   */
  readonly submit: (
    request: Request,
    options: { readonly signal: AbortSignal },
  ) => Promise<{ readonly id: string }>
  /** Returns a handle for the submitted work with this id, without sending a request. */
  readonly resume: (id: string) => WorkHandle<Result>
  /** Stores a result. For example, `folderSink('out')` stores each result in the folder `out`. */
  readonly sink: Sink<Result>
  /** Estimates what a request costs. Default: unknown. */
  readonly cost?: (request: Request) => CostEstimate
  /**
   * Throws to reject an invalid request before it is enqueued. Default: accepts every request that JSON can
   * represent.
   */
  readonly check?: (request: Request) => void
  /**
   * Turns a request into plain data, so that any process can send it. Default: the request itself must be plain
   * data.
   */
  readonly encode?: (request: Request) => unknown
  /** Restores a request from the data that `encode` returned. */
  readonly decode?: (encoded: unknown) => Request | Promise<Request>
  /**
   * Whether a submission whose outcome is unknown may be sent again. Pass true only if the service recognizes a
   * repeated request, doesn't do the work again, and doesn't charge for it again. Default: false. The job then becomes
   * uncertain, and waits for a person.
   */
  readonly repeatable?: boolean
  /** Limits across all workers. Default: no limits. */
  readonly limits?: ServiceLimits
  /** The time from the submission to the first poll. Default: 5 seconds (this package's choice). */
  readonly firstDelay?: Duration
  /** The shortest time between two polls of a job. Default: 5 seconds (this package's choice). */
  readonly minDelay?: Duration
  /**
   * The longest time between two polls of a job. The time grows by half after each poll. Default: 1 minute, or
   * `minDelay` if `minDelay` is longer (this package's choice).
   */
  readonly maxDelay?: Duration
}

const NAMES: OptionNames<ServiceOptions<never, never>> = {
  submit: true,
  resume: true,
  sink: true,
  cost: true,
  check: true,
  encode: true,
  decode: true,
  repeatable: true,
  limits: true,
  firstDelay: true,
  minDelay: true,
  maxDelay: true,
}

const LIMIT_NAMES: OptionNames<ServiceLimits> = { submit: true, poll: true, unfinished: true }

/**
 * Describes how a fleet works with a service: how it submits requests, finds the work again, and stores results.
 *
 * ```ts
 * import { service } from '@concord/postgres'
 *
 * export const jobs = (client: { submit(request: object): Promise<{ id: string }>; job(id: string): never }) =>
 *   service({
 *     submit: (request: object) => client.submit(request),
 *     resume: (id) => client.job(id),
 *     sink: async (result, { name }) => console.log(name, result),
 *   })
 * ```
 *
 * @throws OptionsError if an option is missing, unknown or invalid.
 * @public
 */
export function service<Request, Result>(
  options: ServiceOptions<Request, Result>,
): FleetService<Request, Result> {
  checkOptionNames(options, NAMES, 'options')
  const { submit, resume, sink, cost, check, encode, decode, limits = {} } = options
  for (const [name, value] of Object.entries({ submit, resume, sink })) {
    if (typeof value === 'function') continue
    const problem = value === undefined ? `\`${name}\` is missing.` : 'must be a function.'
    throw new OptionsError(name, problem, 'Pass a function.')
  }
  for (const [name, value] of Object.entries({ cost, check, encode, decode })) functionOption(value, name)
  if (options.repeatable !== undefined && typeof options.repeatable !== 'boolean')
    throw new OptionsError(
      'repeatable',
      '`repeatable` must be true or false.',
      'Pass true or false, or omit `repeatable`.',
    )
  checkLimits(limits)
  const firstDelayMs = parseDuration(options.firstDelay ?? '5s', 'firstDelay')
  const minDelayMs = parseDuration(options.minDelay ?? '5s', 'minDelay')
  const maxDelayMs = parseDuration(options.maxDelay ?? Math.max(60_000, minDelayMs), 'maxDelay')
  if (maxDelayMs < minDelayMs)
    throw new OptionsError(
      'maxDelay',
      `\`maxDelay\` (${maxDelayMs} ms) is shorter than \`minDelay\` (${minDelayMs} ms).`,
      'Pass a longer `maxDelay`, or omit it.',
    )
  return {
    submit: async (encoded, signal) => {
      const request = decode === undefined ? (encoded as Request) : await decode(encoded)
      const { id } = await submit(request, { signal })
      if (typeof id === 'string' && id !== '') return id
      throw new TypeError(
        '`submit` returned no valid `id`, so the work that it may have started cannot be found again. Return `{ id }` from `submit`, where `id` is a non-empty string.',
      )
    },
    poll: (id, signal) => pollOnce(resume(id), signal),
    async cancel(id, signal) {
      const handle = resume(id)
      if (handle.cancel === undefined) return false
      await handle.cancel({ signal })
      return true
    },
    store: sink,
    cost: cost ?? (() => 'unknown'),
    check: check ?? (() => undefined),
    encode: encode ?? ((request) => request),
    repeatable: options.repeatable === true,
    firstDelayMs,
    minDelayMs,
    maxDelayMs,
    limits,
  }
}

function checkLimits(limits: ServiceLimits): void {
  checkOptionNames(limits, LIMIT_NAMES, 'limits')
  for (const name of ['submit', 'poll'] as const) {
    const limit = limits[name] as Partial<SharedLimit> | undefined
    if (limit !== undefined && typeof limit.acquire !== 'function')
      throw new OptionsError(
        `limits.${name}`,
        'has no method `acquire`.',
        'Pass a limit from postgresRateLimit() or postgresSemaphore(), or another object with this method.',
      )
  }
  const { unfinished } = limits
  if (unfinished !== undefined && !(Number.isSafeInteger(unfinished) && unfinished >= 1))
    throw new OptionsError(
      'limits.unfinished',
      'must be a whole number of at least 1.',
      'Pass such a number. To set no limit, omit the option.',
    )
}

async function pollOnce<Result>(
  handle: WorkHandle<Result>,
  signal: AbortSignal,
): Promise<PollFinding<Result>> {
  try {
    const { retryAfterMs } = await handle.poll({ signal })
    if (!handle.ended) return { state: 'pending', status: handle.status, retryAfterMs }
    return { state: 'succeeded', status: handle.status, result: await handle.wait({ signal }) }
  } catch (error) {
    if (!OperationFailedError.is(error)) throw error
    return { state: 'failed', status: handle.status, reason: error.message }
  }
}
