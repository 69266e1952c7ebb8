import {
  type ConcurrencyLimit,
  OptionsError,
  type Duration,
  type OperationFailedError,
} from '@concord/runtime'
import {
  checkOptionNames,
  functionOption,
  isConcurrencyLimit,
  numberOption,
  parseDuration,
  type OptionNames,
} from '@concord/runtime/internal'

import type { CreditRange } from '../credits.ts'
import { checkPolicy, type Regeneration, type RegeneratePolicy } from '../regenerate.ts'
import type { GenerationName } from '../requests.ts'
import type { SucceededTask, TaskOutput } from '../results.ts'
import type { TaskHandle } from '../task.ts'
import { TIERS, type Tier } from '../facts.ts'
import type { BatchJournal, StoredFile } from './journal.ts'

/** Options of {@link Media.batch}. @public */
export interface BatchOptions {
  /**
   * Records the steps of the batch. After a crash, a new process can resume the batch from the journal: call
   * {@link Media.resumeBatch}, or call {@link Media.batch} again with the same requests. Default: no journal.
   */
  readonly journal?: BatchJournal
  /** The maximum number of unfinished tasks. Default: the lower end of the range that is documented for `tier`. */
  readonly concurrency?: number
  /**
   * Also limits the unfinished tasks of all your organization's processes together. Pass, for example,
   * `postgresSemaphore` from `@concord/postgres`. Each unfinished task holds a slot. Default: no shared limit.
   */
  readonly sharedConcurrency?: ConcurrencyLimit
  /** Your organization's tier. Default: 1, the documented default. */
  readonly tier?: Tier
  /**
   * How long to wait for each accepted task. Default: the client option `polling.task.limit`, which is 24 hours by
   * default.
   */
  readonly taskDeadline?: Duration
  /**
   * How long the batch may take. After that time, the batch ends even if work remains: accepted tasks are reported as
   * `unfinished`, and unsent requests as `not-sent`. Default: no limit. Even without this option, the batch ends if
   * submissions fail for 25 hours without a single success. A daily quota can't cause that, because it resets
   * within 24 hours.
   */
  readonly deadline?: Duration
  /**
   * The maximum number of times a request is sent if the response is 502, 503 or 504. The service's documentation
   * says to repeat the request after these responses, but the service may have accepted each attempt. If the service
   * has never responded, this option also limits the attempts to connect. Default: the client's `retry.maxAttempts`.
   */
  readonly maxAttempts?: number
  /**
   * The maximum cost of the batch, in credits. The batch ends before a submission could exceed it. Every submission
   * that may have been accepted counts, at the upper end of its estimate. With this option, a request without a known
   * price is not sent. Default: no limit.
   */
  readonly maxCredits?: number
  /**
   * Where to store outputs: a folder (Node only), or a function that stores them. Each task's outputs are stored as
   * soon as the task has succeeded, before their links expire. Default: outputs are not stored.
   */
  readonly store?: BatchFolder | OutputSink
  /** Submits failed tasks again if a retry can help. Default: never. */
  readonly regenerate?: RegeneratePolicy
  /** Called, and awaited, as soon as the id of a task is known. A resumed batch calls `onAccepted` again for unfinished tasks. */
  readonly onAccepted?: (accepted: BatchAcceptance) => unknown
  /**
   * Called, and awaited, with each outcome. A resumed batch doesn't report a final outcome again, unless it was
   * reported just before a crash. It reports all other outcomes again. `succeeded` and `uncertain` are always final.
   * `failed` is final unless a resumed batch may regenerate the task. `denied` is final if the denial is about the
   * request itself (such as 400).
   */
  readonly onOutcome?: (outcome: BatchOutcome) => unknown
  /** Called after every change in the progress of the batch. */
  readonly onProgress?: (progress: BatchProgress) => void
  /**
   * Ends the batch when aborted: nothing more is sent. Submissions in progress have `abortGrace` to finish. Then
   * `onOutcome` is called for every request that was started, and the promise of the batch rejects with the signal's
   * `reason`.
   */
  readonly signal?: AbortSignal
  /** How long the batch waits for submissions in progress after an abort or its `deadline`. Default: 10 seconds. */
  readonly abortGrace?: Duration
}

/** Options of {@link Media.resumeBatch}. @public */
export type ResumeBatchOptions = Omit<BatchOptions, 'journal'>

/** Stores outputs as files; Node only. @public */
export interface BatchFolder {
  /** The folder to write into; it is created if it doesn't exist. */
  readonly folder: string
  /**
   * Returns a file name without its extension. Each output must have a unique name. Default: the task's id, with a
   * number if the task has several outputs.
   */
  readonly nameOf?: (output: OutputName) => string
}

/** Identifies the output for which a file name is needed. @public */
export interface OutputName {
  /** The index of the request in the batch. */
  readonly request: number
  readonly taskId: string
  /** The index of the output in its task, from 0. */
  readonly index: number
  readonly count: number
}

/**
 * A function that stores one output, for example by reading `output.stream()`. The batch awaits the function. If the
 * function throws, the request is reported as `unfinished`. After a crash, the function can be called again for the
 * same output.
 *
 * @public
 */
export type OutputSink = (
  output: TaskOutput,
  context: { readonly request: number; readonly task: SucceededTask; readonly signal: AbortSignal },
) => unknown

/** A task that was accepted. @public */
export interface BatchAcceptance {
  readonly index: number
  readonly operation: GenerationName
  readonly handle: TaskHandle
  /** Whether an earlier process submitted the task. */
  readonly resumed: boolean
}

/** The progress of a batch, in numbers of requests. @public */
export interface BatchProgress extends BatchCounts {
  readonly total: number
  /** The number of requests that haven't been started. */
  readonly waiting: number
  /**
   * The number of requests that were started and haven't ended, including those that wait for a slot or for the end
   * of a pause.
   */
  readonly running: number
  /** The credits spent so far; see {@link BatchReport.credits}. */
  readonly credits: BatchCredits
  /**
   * The time at which the current pause ends, in milliseconds since the Unix epoch. Absent if the batch isn't paused.
   * The batch pauses if a quota is exceeded, or if the service is overloaded or can't be reached.
   */
  readonly pausedUntilMs?: number
}

/** The numbers of requests by outcome. @public */
export interface BatchCounts {
  readonly succeeded: number
  readonly failed: number
  readonly denied: number
  readonly notSent: number
  readonly uncertain: number
  readonly unfinished: number
}

/** The outcome of one request. @public */
export type BatchOutcome = {
  readonly index: number
  readonly operation: GenerationName
  /** The failed tasks of this request that were replaced by new submissions. */
  readonly regenerations: readonly Regeneration[]
  /**
   * The maximum number of times that the service may have accepted this request. The failed tasks in `regenerations`
   * don't count. 0 means that the service certainly didn't accept the request. 1 means that there can't be a
   * duplicate. The number can be greater than 1 only if the request was sent again after a 502, 503 or 504.
   */
  readonly possibleDuplicates: number
} & (
  | {
      readonly outcome: 'succeeded'
      readonly handle: TaskHandle
      /** Absent if the task succeeded in an earlier process. */
      readonly task?: SucceededTask
      /** The files that `store: { folder }` wrote. */
      readonly files: readonly StoredFile[]
    }
  /**
   * The service accepted the task, and reports that the task failed. If this batch ended before regenerating the task, a
   * resumed batch may regenerate it.
   */
  | { readonly outcome: 'failed'; readonly error: OperationFailedError; readonly handle: TaskHandle }
  /**
   * The service accepted the task, but the batch didn't see the task end, or didn't store its outputs. A resumed batch
   * polls the task again, and stores its outputs.
   */
  | {
      readonly outcome: 'unfinished'
      readonly error: unknown
      readonly handle: TaskHandle
      readonly resumeToken: string
    }
  /**
   * - `denied`: the service denied the request. A resumed batch sends it again, unless the denial is about the
   *   request itself (such as 400).
   * - `not-sent`: the request was certainly not sent. `reason` says why. For example, the request is invalid, the
   *   batch ended before sending it, the client couldn't read an input, or the client couldn't reach the service.
   * - `uncertain`: a submission may have been accepted, but the task's id is unknown. The request is never sent again
   *   automatically.
   */
  | {
      readonly outcome: 'denied' | 'not-sent' | 'uncertain'
      /** The human-readable reason. */
      readonly reason: string
      /** Absent if the outcome was determined in an earlier process. */
      readonly error?: unknown
      /** The HTTP status of the last response, if any. */
      readonly status?: number
      /** If a failed task was being regenerated, the handle of the failed task. */
      readonly handle?: TaskHandle
    }
)

/** The cost of a batch, as a range. @public */
export interface BatchCredits extends CreditRange {
  /** The cost of the accepted submissions, at the lower end of their estimates. */
  readonly min: number
  /**
   * The cost of all submissions that may have been accepted, including uncertain and repeated submissions, at the
   * upper end of their estimates.
   */
  readonly max: number
  /** The number of submissions without a known price; `min` and `max` don't include them. */
  readonly unpriced: number
}

/** The result of a batch. @public */
export interface BatchReport extends BatchCounts {
  /** The outcome of each request, in the order of the requests. */
  readonly outcomes: readonly BatchOutcome[]
  /** How long tasks had the status `THROTTLED`, in milliseconds, summed over all tasks. */
  readonly throttledMs: number
  /** The estimated cost, including regenerations and the submissions of earlier processes. */
  readonly credits: BatchCredits
}

/** The estimated cost of a batch. @public */
export interface BatchEstimate {
  readonly requests: number
  /** The cost of sending each valid request once. */
  readonly credits: BatchCredits
  /** The requests that the client would reject before sending them. The content of inputs is not checked. */
  readonly invalid: readonly { readonly index: number; readonly error: unknown }[]
}

export const RESUME_NAMES: OptionNames<ResumeBatchOptions> = {
  concurrency: true,
  sharedConcurrency: true,
  tier: true,
  taskDeadline: true,
  deadline: true,
  maxAttempts: true,
  maxCredits: true,
  store: true,
  regenerate: true,
  onAccepted: true,
  onOutcome: true,
  onProgress: true,
  signal: true,
  abortGrace: true,
}
const NAMES: OptionNames<BatchOptions> = { ...RESUME_NAMES, journal: true }

const FOLDER_NAMES: OptionNames<BatchFolder> = { folder: true, nameOf: true }

/** The numeric options of a batch. */
export interface BatchSettings {
  readonly concurrency: number
  readonly deadlineMs: number
  readonly maxAttempts: number
  readonly maxCredits: number
  readonly abortGraceMs: number
}

export function checkBatch(options: BatchOptions, maxAttempts: number): BatchSettings {
  checkOptionNames(options, NAMES, 'options')
  const { tier = 1, taskDeadline, deadline, abortGrace = '10s', journal, store } = options
  if (!Object.hasOwn(TIERS, tier))
    throw new OptionsError(
      'tier',
      "`tier` is not one of the service's tiers.",
      'Pass a whole number from 1 to 5, or omit `tier` to use tier 1.',
    )
  if (taskDeadline !== undefined) parseDuration(taskDeadline, 'taskDeadline')
  checkPolicy(options.regenerate)
  functionOption(options.onAccepted, 'onAccepted')
  functionOption(options.onProgress, 'onProgress')
  functionOption(options.onOutcome, 'onOutcome')
  if (options.sharedConcurrency !== undefined && !isConcurrencyLimit(options.sharedConcurrency))
    throw new OptionsError(
      'sharedConcurrency',
      'must have the methods `acquire` and `mayWait`.',
      'Pass postgresSemaphore(...) from @concord/postgres, or another ConcurrencyLimit.',
    )
  if (journal !== undefined) checkJournal(journal)
  if (store !== undefined && typeof store !== 'function') {
    if (typeof store !== 'object' || store === null)
      throw new OptionsError(
        'store',
        '`store` must be an object with `folder`, or a function.',
        "Pass { folder: 'out' }, or a function that stores one output.",
      )
    checkOptionNames(store, FOLDER_NAMES, 'store')
    if (typeof store.folder !== 'string' || store.folder === '')
      throw new OptionsError('store.folder', 'must be a non-empty string.', 'Pass the path of the folder.')
    functionOption(store.nameOf, 'store.nameOf')
  }
  return {
    concurrency: numberOption(options.concurrency, 'concurrency', TIERS[tier].concurrency.min, {
      min: 1,
      whole: true,
    }),
    deadlineMs: deadline === undefined ? Infinity : parseDuration(deadline, 'deadline'),
    maxAttempts: numberOption(options.maxAttempts, 'maxAttempts', maxAttempts, { min: 1, whole: true }),
    maxCredits: creditCap(options.maxCredits),
    abortGraceMs: parseDuration(abortGrace, 'abortGrace'),
  }
}

function creditCap(maxCredits: number | undefined): number {
  if (maxCredits === undefined) return Infinity
  if (Number.isFinite(maxCredits) && maxCredits >= 0) return maxCredits
  throw new OptionsError(
    'maxCredits',
    '`maxCredits` must be a finite number of at least 0.',
    'Pass the maximum number of credits, or omit `maxCredits` for no limit.',
  )
}

export function checkJournal(journal: unknown): void {
  if (typeof (journal as Partial<BatchJournal> | null | undefined)?.open === 'function') return
  throw new OptionsError(
    'journal',
    '`journal` has no method `open`.',
    "Pass fileJournal('batch.journal') from @concord/media/node, or your own journal.",
  )
}
