import {
  checkOptionNames,
  functionOption,
  numberOption,
  OptionsError,
  parseDuration,
  type Duration,
  type OperationFailedError,
  type OptionNames,
} from '@concord/runtime'

import type { CreditRange } from '../credits.ts'
import { checkPolicy, type Regeneration, type RegeneratePolicy } from '../regenerate.ts'
import type { GenerationName } from '../requests.ts'
import type { SucceededTask, TaskOutput } from '../results.ts'
import type { TaskHandle } from '../task-handle.ts'
import { TIERS, type Tier } from '../tiers.ts'
import type { BatchJournal, StoredFile } from './journal.ts'

/** How a batch is processed. @public */
export interface BatchOptions {
  /**
   * Records what the batch does, so that {@link Media.resumeBatch}, or the same call in a new process, goes on after a
   * crash. If the journal already holds a batch of the same requests, that batch is resumed. Default: none.
   */
  readonly journal?: BatchJournal
  /** How many tasks may be unfinished at once. Default: what `tier` allows, in its most careful reading. */
  readonly concurrency?: number
  /** The tier of your organization. Default 1, as for every organization. */
  readonly tier?: Tier
  /** How long to wait for each task once it was accepted. Default: the limit of a wait, 24 hours. */
  readonly taskDeadline?: Duration
  /**
   * When the batch ends, whatever is left: accepted tasks are reported as `unfinished`, others as `not-sent`. Default:
   * none. A service that denies everything for 25 hours ends it too, because the daily quota frees within 24.
   */
  readonly deadline?: Duration
  /**
   * How often a request is sent at most, when the answer is 502, 503 or 504. The documentation asks to repeat it then, but
   * each of them may have been accepted. Default: the client's `retry.maxAttempts`.
   */
  readonly maxAttempts?: number
  /**
   * Stops before more credits than this could be spent, by the upper end of every estimate, with uncertain submissions
   * counted. A request without a known price is not sent. Default: no limit.
   */
  readonly maxCredits?: number
  /** Stores what each task made as soon as it has succeeded, before its links expire: in a folder (Node), or by a function. */
  readonly store?: BatchFolder | OutputSink
  /** Submits failed tasks again if a retry helps. Default: never. */
  readonly regenerate?: RegeneratePolicy
  /** Called, and awaited, as soon as the id of a task is known. After a resumption it is called again for unfinished tasks. */
  readonly onAccepted?: (accepted: BatchAcceptance) => unknown
  /** Called, and awaited, with each outcome. With a journal, once per request across all processes, or once more after a crash. */
  readonly onOutcome?: (outcome: BatchOutcome) => unknown
  /** Called after every change. */
  readonly onProgress?: (progress: BatchProgress) => void
  /**
   * Ends the batch with the signal's own reason. Nothing more is sent. Submissions that are under way are waited for, for
   * `abortGrace`, and then `onOutcome` gets the outcome of every request that was begun.
   */
  readonly signal?: AbortSignal
  /** How long an abort or `deadline` waits for submissions that are under way. Default 10 seconds. */
  readonly abortGrace?: Duration
}

/** Options of {@link Media.resumeBatch}. @public */
export type ResumeBatchOptions = Omit<BatchOptions, 'journal'>

/** Stores outputs as files; Node only. @public */
export interface BatchFolder {
  /** The folder to write into; it is created if it doesn't exist. */
  readonly folder: string
  /** Returns a file name without its extension, different for each output. Default: the id of the task, numbered if there are several. */
  readonly nameOf?: (output: OutputName) => string
}

/** What the name of a file can depend on. @public */
export interface OutputName {
  /** The index of the request in the batch. */
  readonly request: number
  readonly taskId: string
  /** The index of the output in its task, from 0. */
  readonly index: number
  readonly count: number
}

/**
 * Stores one output, for instance from `output.stream()`. It is awaited. If it throws, the request is reported as
 * `unfinished`. After a crash it can be called again for the same output.
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
  /** Whether an earlier process submitted it. */
  readonly resumed: boolean
}

/** How far a batch has come, in numbers of requests. @public */
export interface BatchProgress extends BatchCounts {
  readonly total: number
  /** Not begun. */
  readonly waiting: number
  /** Being submitted, at the service, or being stored. */
  readonly running: number
  /** What was spent so far; see {@link BatchReport.credits}. */
  readonly credits: BatchCredits
  /** Nothing is sent until then, in milliseconds since the Unix epoch: the quota is exceeded, or the service overloaded. */
  readonly pausedUntilMs?: number
}

/** How many requests ended in which way. @public */
export interface BatchCounts {
  readonly succeeded: number
  readonly failed: number
  readonly denied: number
  readonly notSent: number
  readonly uncertain: number
  readonly unfinished: number
}

/** What became of one request. @public */
export type BatchOutcome = {
  readonly index: number
  readonly operation: GenerationName
  /** The tasks that failed and in whose place others were submitted. */
  readonly regenerations: readonly Regeneration[]
  /**
   * How many submissions may exist at the service, the known one included: more than 1 after a repeated 502, 503 or 504.
   */
  readonly possibleDuplicates: number
} & (
  | {
      readonly outcome: 'succeeded'
      readonly handle: TaskHandle
      /** Absent if an earlier process has seen it succeed. */
      readonly task?: SucceededTask
      /** Where `store: { folder }` put the outputs. */
      readonly files: readonly StoredFile[]
    }
  /** The service accepted the task, and reports that it failed. */
  | { readonly outcome: 'failed'; readonly error: OperationFailedError; readonly handle: TaskHandle }
  /** Accepted, but its end was not seen, or its outputs were not stored. A resumed batch takes it up again. */
  | {
      readonly outcome: 'unfinished'
      readonly error: unknown
      readonly handle: TaskHandle
      readonly resumeToken: string
    }
  /**
   * - `denied`: the service said no; nothing was accepted.
   * - `not-sent`: nothing was sent. The request can't be right, or the batch ended before.
   * - `uncertain`: a submission may have been accepted, and its id isn't known. It is never sent again by itself.
   */
  | {
      readonly outcome: 'denied' | 'not-sent' | 'uncertain'
      /** Why, in words. */
      readonly reason: string
      /** Absent if an earlier process has seen it. */
      readonly error?: unknown
      /** The status of the last answer, if one came. */
      readonly status?: number
      /** The last task that failed, if this was a submission in its place. */
      readonly handle?: TaskHandle
    }
)

/** What a batch cost, as a range. @public */
export interface BatchCredits extends CreditRange {
  /** What was accepted, at the lower end of its estimates. */
  readonly min: number
  /** What may have been accepted (uncertain and repeated submissions included), at the upper end. */
  readonly max: number
  /** How many submissions have no known price; `min` and `max` are without them. */
  readonly unpriced: number
}

/** What became of a batch. @public */
export interface BatchReport extends BatchCounts {
  /** In the order of the requests; one for each. */
  readonly outcomes: readonly BatchOutcome[]
  /** Milliseconds in `THROTTLED`, summed over all tasks. */
  readonly throttledMs: number
  /** What is estimated to have been spent, regenerations and earlier processes included. */
  readonly credits: BatchCredits
}

/** What a batch would cost. @public */
export interface BatchEstimate {
  readonly requests: number
  /** Each valid request sent once. */
  readonly credits: BatchCredits
  /** Requests that would be rejected before they are sent. What their inputs contain is not looked at. */
  readonly invalid: readonly { readonly index: number; readonly error: unknown }[]
}

const NAMES: OptionNames<BatchOptions> = {
  journal: true,
  concurrency: true,
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

const FOLDER_NAMES: OptionNames<BatchFolder> = { folder: true, nameOf: true }

/** The numbers of a batch, with defaults. */
export interface BatchSettings {
  readonly concurrency: number
  readonly deadlineMs: number
  readonly maxAttempts: number
  readonly maxCredits: number
  readonly abortGraceMs: number
}

/** @throws OptionsError when an option can't be used. */
export function checkBatch(options: BatchOptions, maxAttempts: number): BatchSettings {
  checkOptionNames(options, NAMES, 'options')
  const { tier = 1, taskDeadline, deadline, abortGrace = '10s', journal, store } = options
  if (!Object.hasOwn(TIERS, tier))
    throw new OptionsError('tier', '`tier` is not a tier.', 'Pass a number from 1 to 5.')
  if (taskDeadline !== undefined) parseDuration(taskDeadline, 'taskDeadline')
  checkPolicy(options.regenerate)
  functionOption(options.onAccepted, 'onAccepted')
  functionOption(options.onProgress, 'onProgress')
  functionOption(options.onOutcome, 'onOutcome')
  if (journal !== undefined) checkJournal(journal)
  if (store !== undefined && typeof store !== 'function') {
    checkOptionNames(store, FOLDER_NAMES, 'store')
    if (typeof store.folder !== 'string' || store.folder === '')
      throw new OptionsError('store.folder', '`store.folder` is missing.', 'Pass the path of the folder.')
    functionOption(store.nameOf, 'store.nameOf')
  }
  return {
    concurrency: numberOption(options.concurrency, 'concurrency', TIERS[tier].concurrency.min, {
      min: 1,
      whole: true,
    }),
    deadlineMs: deadline === undefined ? Infinity : parseDuration(deadline, 'deadline'),
    maxAttempts: numberOption(options.maxAttempts, 'maxAttempts', maxAttempts, { min: 1, whole: true }),
    maxCredits:
      options.maxCredits === undefined
        ? Infinity
        : numberOption(options.maxCredits, 'maxCredits', 0, { min: 0 }),
    abortGraceMs: parseDuration(abortGrace, 'abortGrace'),
  }
}

/** @throws OptionsError when it is none. */
export function checkJournal(journal: unknown): void {
  if (typeof (journal as Partial<BatchJournal> | null | undefined)?.open === 'function') return
  throw new OptionsError(
    'journal',
    '`journal` has no method `open`.',
    "Pass fileJournal('batch.journal') of @concord/media/node, or a journal of your own.",
  )
}
