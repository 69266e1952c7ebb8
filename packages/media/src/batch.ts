import {
  AuthenticationError,
  checkOptionNames,
  functionOption,
  numberOption,
  OptionsError,
  parseDuration,
  SubmissionUncertainError,
  type Clock,
  type Duration,
  type RandomSource,
  type OptionNames,
} from '@concord/runtime'

import { addCredits, type CreditEstimate } from './credits.ts'
import { TaskFailedError } from './errors.ts'
import { checkPolicy, bodyCredits, type RegeneratePolicy } from './regenerate.ts'
import type { GenerationName, GenerationRequest, PreparedRequest } from './requests.ts'
import type { SucceededTask } from './results.ts'
import { Patience } from './patience.ts'
import type { TaskHandle } from './task-handle.ts'
import { TIERS, type Tier } from './tiers.ts'

/** One request of a batch. @public */
export type BatchRequest = {
  [Name in GenerationName]: { readonly operation: Name; readonly request: GenerationRequest<Name> }
}[GenerationName]

/** How a batch is worked off. @public */
export interface BatchOptions {
  /** How many tasks may be unfinished at once. Default: what `tier` allows, in its most careful reading. */
  readonly concurrency?: number
  /** The tier of your organization. Default 1, as for every organization. */
  readonly tier?: Tier
  /** How long each task is waited for once it was submitted. Default 24 hours. */
  readonly taskDeadline?: Duration
  /**
   * How long a submission that the service refused for overload or for the daily quota is tried again, with backoff.
   * Default 10 minutes; room in the daily quota can take up to 24 hours.
   */
  readonly keepTrying?: Duration
  /** Submits failed tasks anew where a retry helps. Default: never. */
  readonly regenerate?: RegeneratePolicy
  /** Told after every change. */
  readonly onProgress?: (progress: BatchProgress) => void
  /** Told of each outcome as it comes, also when the batch is aborted afterwards. */
  readonly onOutcome?: (outcome: BatchOutcome) => void
  /** Aborting it ends the batch with the signal's own reason. What was accepted goes on at the service. */
  readonly signal?: AbortSignal
}

/** How far a batch has come, in numbers of requests. @public */
export interface BatchProgress {
  readonly total: number
  /** Not begun. */
  readonly waiting: number
  /** Being submitted, or at the service. */
  readonly running: number
  readonly succeeded: number
  readonly failed: number
  readonly uncertain: number
  readonly unfinished: number
}

/** What became of one request. @public */
export type BatchOutcome = { readonly index: number; readonly operation: GenerationName } & (
  | {
      readonly outcome: 'succeeded'
      readonly handle: TaskHandle
      readonly task: SucceededTask
    }
  /** The task failed (`handle` is there), or the service or this client refused the request (it is not). */
  | { readonly outcome: 'failed'; readonly error: unknown; readonly handle?: TaskHandle }
  /** The answer to a submission was lost. It may have been accepted, so nothing was sent again. */
  | { readonly outcome: 'submission-uncertain'; readonly error: SubmissionUncertainError }
  /** Accepted, but its end was not seen: the deadline came first, or polls failed. The token finds it again. */
  | {
      readonly outcome: 'unfinished'
      readonly error: unknown
      readonly handle: TaskHandle
      readonly resumeToken: string
    }
)

/** What became of a batch. @public */
export interface BatchReport {
  /** In the order of the requests; one for each. */
  readonly outcomes: readonly BatchOutcome[]
  readonly succeeded: number
  readonly failed: number
  readonly uncertain: number
  readonly unfinished: number
  /** Milliseconds in `THROTTLED`, summed over all tasks. */
  readonly throttledMs: number
  /** What everything that was accepted is estimated to cost, regenerations included. */
  readonly credits: CreditEstimate
}

const NAMES: OptionNames<BatchOptions> = {
  concurrency: true,
  tier: true,
  taskDeadline: true,
  keepTrying: true,
  regenerate: true,
  onProgress: true,
  onOutcome: true,
  signal: true,
}

/** What a batch needs of its client. */
export interface BatchTools {
  readonly clock: Clock
  readonly random: RandomSource
  prepare(item: BatchRequest, signal: AbortSignal | undefined): Promise<PreparedRequest>
  submit(
    request: PreparedRequest,
    options: { readonly signal?: AbortSignal; readonly regenerate?: RegeneratePolicy },
  ): Promise<TaskHandle>
}

/** Works off many requests, no more of them unfinished at once than a tier takes. */
export class Batch {
  readonly #tools: BatchTools
  readonly #requests: readonly BatchRequest[]
  readonly #options: BatchOptions
  readonly #concurrency: number
  readonly #patience: Patience
  readonly #outcomes: (BatchOutcome | undefined)[]
  /** Kept, so that telling the progress costs the same however many requests there are. */
  readonly #counts: Record<BatchOutcome['outcome'], number> = {
    succeeded: 0,
    failed: 0,
    'submission-uncertain': 0,
    unfinished: 0,
  }
  #credits: CreditEstimate = { min: 0, max: 0 }
  /** The secret was not accepted: it would not be for the others either, so none of them is sent. */
  #refusal: AuthenticationError | undefined = undefined
  #running = 0
  #next = 0

  /** @throws OptionsError when an option cannot be used. */
  constructor(tools: BatchTools, requests: readonly BatchRequest[], options: BatchOptions) {
    checkOptionNames(options, NAMES, 'options')
    if (!Array.isArray(requests))
      throw new OptionsError('requests', 'is not a list.', 'Give a list of requests.')
    const { tier = 1, taskDeadline, keepTrying = '10m' } = options
    if (!Object.hasOwn(TIERS, tier))
      throw new OptionsError('tier', 'is not a tier.', 'Give a number from 1 to 5.')
    const concurrency = numberOption(options.concurrency, 'concurrency', TIERS[tier].concurrency.min, {
      min: 1,
      whole: true,
    })
    if (taskDeadline !== undefined) parseDuration(taskDeadline, 'taskDeadline')
    checkPolicy(options.regenerate)
    functionOption(options.onProgress, 'onProgress')
    functionOption(options.onOutcome, 'onOutcome')
    this.#tools = tools
    this.#requests = requests
    this.#options = options
    this.#concurrency = concurrency
    this.#patience = new Patience(tools.clock, tools.random, parseDuration(keepTrying, 'keepTrying'))
    this.#outcomes = requests.map(() => undefined)
  }

  /** @throws the signal's own reason on abort; an error of `onProgress` or `onOutcome`. Nothing else. */
  async run(): Promise<BatchReport> {
    const { signal } = this.#options
    signal?.throwIfAborted()
    const stop = new AbortController()
    const merged = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
    const workers = Array.from({ length: Math.min(this.#concurrency, this.#requests.length) }, () =>
      this.#work(merged).catch((error: unknown) => {
        // One that cannot go on ends the others, too; the batch ends when they have.
        stop.abort(error)
        throw error
      }),
    )
    const settled = await Promise.allSettled(workers)
    signal?.throwIfAborted()
    const thrown = settled.find((each) => each.status === 'rejected')
    if (thrown !== undefined) throw thrown.reason
    return this.#report()
  }

  /** Takes one request after the other. */
  async #work(signal: AbortSignal): Promise<void> {
    for (let index = this.#next++; index < this.#requests.length; index = this.#next++) {
      signal.throwIfAborted()
      const item = this.#requests[index] as BatchRequest
      this.#running++
      let outcome: BatchOutcome
      try {
        this.#progress()
        outcome = { index, operation: item?.operation, ...(await this.#see(item, signal)) }
      } finally {
        this.#running--
      }
      this.#outcomes[index] = outcome
      this.#counts[outcome.outcome]++
      this.#options.onOutcome?.(outcome)
      this.#progress()
    }
  }

  /** Brings one request to its end. Only an abort throws. */
  async #see(item: BatchRequest, signal: AbortSignal): Promise<Ending> {
    const { regenerate, taskDeadline } = this.#options
    let handle: TaskHandle | undefined
    if (this.#refusal !== undefined) return { outcome: 'failed', error: this.#refusal }
    try {
      const request = await this.#tools.prepare(item, signal)
      const accepted = await this.#patience.keep(
        () => this.#tools.submit(request, { signal, ...(regenerate && { regenerate }) }),
        request.operation.retry.statuses ?? [],
        signal,
      )
      handle = accepted
      this.#credits = addCredits(this.#credits, bodyCredits(request.body))
      const task = await accepted.wait({
        signal,
        ...(taskDeadline !== undefined && { deadline: taskDeadline }),
      })
      return { outcome: 'succeeded', handle, task }
    } catch (error) {
      if (SubmissionUncertainError.is(error)) return { outcome: 'submission-uncertain', error }
      if (handle === undefined) {
        signal.throwIfAborted()
        if (AuthenticationError.is(error)) this.#refusal = error
        return { outcome: 'failed', error }
      }
      if (TaskFailedError.is(error)) return { outcome: 'failed', error, handle }
      return { outcome: 'unfinished', error, handle, resumeToken: handle.resumeToken() }
    } finally {
      if (handle !== undefined) this.#credits = addCredits(this.#credits, handle.regenerationCredits)
    }
  }

  #progress(): void {
    if (this.#options.onProgress === undefined) return
    const counts = this.#told()
    const ended = Object.values(counts).reduce((sum, each) => sum + each, 0)
    const total = this.#requests.length
    this.#options.onProgress({
      total,
      waiting: total - ended - this.#running,
      running: this.#running,
      ...counts,
    })
  }

  #told(): Pick<BatchProgress, 'succeeded' | 'failed' | 'uncertain' | 'unfinished'> {
    const { 'submission-uncertain': uncertain, ...counts } = this.#counts
    return { ...counts, uncertain }
  }

  #report(): BatchReport {
    const outcomes = this.#outcomes.filter((each) => each !== undefined)
    const throttledMs = outcomes
      .map((each) => ('handle' in each ? (each.handle?.throttledMs ?? 0) : 0))
      .reduce((sum, each) => sum + each, 0)
    return { outcomes, ...this.#told(), throttledMs, credits: this.#credits }
  }
}

type Ending = BatchOutcome extends infer Each
  ? Each extends BatchOutcome
    ? Omit<Each, 'index' | 'operation'>
    : never
  : never
