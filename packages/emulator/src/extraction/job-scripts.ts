import { invalidScript } from '../core/scripts.ts'

/** A script for the next jobs. @public */
export interface JobScript {
  /**
   * How the job runs; by default `complete`. With `complete` or `fail`, the job ends after `queuedMs` plus
   * `processingMs`. With `hold`, the job reaches the state that `in` specifies, and stays there until the control
   * interface moves the job. With `manual`, only the control interface moves the job.
   */
  readonly outcome?: 'complete' | 'fail' | 'hold' | 'manual'
  /** The error message of the failed job; required for `fail`. */
  error?: string
  /** The state in which `hold` keeps a job; by default `processing`. */
  readonly in?: 'queued' | 'processing'
  /** How long the job is queued, in milliseconds. By default, `choices.courseOf` decides. */
  readonly queuedMs?: number
  /** How long the job is processed, in milliseconds. By default, `choices.courseOf` decides. */
  readonly processingMs?: number
  /** How many jobs the script applies to; by default one. */
  readonly times?: number | 'always'
}

/**
 * If `starts` is false, only the control interface starts the job. If `finishes` is false, only the control interface
 * ends the job.
 */
export interface JobCourse {
  readonly starts: boolean
  readonly finishes: boolean
  readonly failure: string | undefined
  readonly queuedMs: number | undefined
  readonly processingMs: number | undefined
}

export function toCourse(script: JobScript): JobCourse {
  const { outcome = 'complete', error, in: heldIn = 'processing', queuedMs, processingMs } = script
  const holds = outcome === 'hold'
  return {
    starts: outcome !== 'manual' && !(holds && heldIn === 'queued'),
    finishes: outcome !== 'manual' && !holds,
    failure: outcome === 'fail' ? error : undefined,
    queuedMs,
    processingMs,
  }
}

/** @throws EmulatorOptionsError if the script is invalid. */
export function checkScript({
  outcome = 'complete',
  error,
  in: heldIn = 'processing',
  ...delays
}: JobScript): void {
  if (!['complete', 'fail', 'hold', 'manual'].includes(outcome))
    throw invalidScript('`outcome` must be `complete`, `fail`, `hold` or `manual`')
  if (outcome === 'fail' && typeof error !== 'string')
    throw invalidScript('`error` must be a string if `outcome` is `fail`')
  if (!['queued', 'processing'].includes(heldIn)) throw invalidScript('`in` must be `queued` or `processing`')
  for (const delayMs of [delays.queuedMs, delays.processingMs])
    if (delayMs !== undefined && !(delayMs >= 0))
      throw invalidScript('`queuedMs` and `processingMs` must be 0 or more')
}
