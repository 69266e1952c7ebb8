import { invalidScript, Scripts } from '../core/scripts.ts'
import type { Job } from './model.ts'

/** A script for the next jobs. @public */
export interface JobScript {
  /**
   * `complete` and `fail` end the job on the clock; `hold` keeps it in a state until the control interface moves it;
   * `manual` only moves it through the control interface. By default `complete`.
   */
  readonly outcome?: 'complete' | 'fail' | 'hold' | 'manual'
  /** Why the job fails; required for `fail`. */
  error?: string
  /** The state in which `hold` keeps a job; by default `processing`. */
  readonly in?: 'queued' | 'processing'
  /** How long the job is queued, in milliseconds; by default as the choice `courseOf` says. */
  readonly queuedMs?: number
  /** How long the job is processed, in milliseconds; by default as the choice `courseOf` says. */
  readonly processingMs?: number
  /** How many jobs the script applies to; by default one. */
  readonly times?: number | 'always'
}

/** The steps of a job, as its script says. */
interface JobCourse {
  readonly starts: boolean
  readonly finishes: boolean
  failure?: string
  readonly queuedMs?: number
  readonly processingMs?: number
}

/** The pending scripts, and the course of each job. */
export class JobScripts {
  readonly #scripts = new Scripts<JobScript>()
  #courses = new WeakMap<Job, JobCourse>()

  add(script: JobScript): void {
    check(script)
    this.#scripts.add(script)
  }

  /** Uses the next script for a new job. */
  take(job: Job): JobCourse {
    const course = toCourse(this.#scripts.take() ?? {})
    this.#courses.set(job, course)
    return course
  }

  of(job: Job): JobCourse {
    return this.#courses.get(job) ?? toCourse({})
  }

  clear(): void {
    this.#scripts.clear()
    this.#courses = new WeakMap()
  }
}

function toCourse(script: JobScript): JobCourse {
  const { outcome = 'complete', error, in: heldIn = 'processing', queuedMs, processingMs } = script
  const holds = outcome === 'hold'
  return {
    starts: outcome !== 'manual' && !(holds && heldIn === 'queued'),
    finishes: outcome !== 'manual' && !holds,
    ...(outcome === 'fail' && error !== undefined ? { failure: error } : {}),
    ...(queuedMs === undefined ? {} : { queuedMs }),
    ...(processingMs === undefined ? {} : { processingMs }),
  }
}

function check({ outcome = 'complete', error, in: heldIn = 'processing', ...delays }: JobScript): void {
  if (!['complete', 'fail', 'hold', 'manual'].includes(outcome))
    throw invalidScript('outcome must be complete, fail, hold or manual')
  if (outcome === 'fail' && typeof error !== 'string')
    throw invalidScript('a job that fails needs an error string')
  if (!['queued', 'processing'].includes(heldIn)) throw invalidScript('`in` must be `queued` or `processing`')
  for (const delayMs of [delays.queuedMs, delays.processingMs])
    if (delayMs !== undefined && !(delayMs >= 0))
      throw invalidScript('queuedMs and processingMs must be 0 or more')
}
