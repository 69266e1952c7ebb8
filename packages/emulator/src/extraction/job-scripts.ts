import { EmulatorOptionsError } from '../core/errors.ts'
import type { Job } from './model.ts'

/** How the next jobs go. @public */
export interface JobScript {
  /**
   * `complete` and `fail` end by themselves; `hold` stays in a state until the control interface moves it;
   * `manual` moves only by the control interface. By default `complete`.
   */
  outcome?: 'complete' | 'fail' | 'hold' | 'manual'
  /** Why the job fails; needed for `fail`. */
  error?: string
  /** Where a held job stays; by default `processing`. */
  in?: 'queued' | 'processing'
  /** How long it is queued, in milliseconds; by default as chosen. */
  queuedMs?: number
  /** How long it is processed, in milliseconds; by default as chosen. */
  processingMs?: number
  /** How many jobs go like this; by default one. */
  times?: number | 'always'
}

/** What a job does by itself. */
export interface JobCourse {
  starts: boolean
  finishes: boolean
  failure?: string
  queuedMs?: number
  processingMs?: number
}

/** The scripts that were asked for, and the course of each job. */
export interface JobScripts {
  add(script: JobScript): void
  /** Gives a new job its course. */
  take(job: Job): JobCourse
  of(job: Job): JobCourse
  clear(): void
}

/** Makes an empty list of scripts; they are used in the order in which they were added. */
export function createJobScripts(): JobScripts {
  let waiting: { script: JobScript; left: number }[] = []
  let courses = new WeakMap<Job, JobCourse>()
  return {
    add(script) {
      check(script)
      waiting.push({ script, left: script.times === 'always' ? Infinity : (script.times ?? 1) })
    },
    take(job) {
      const next = waiting[0]
      if (next && --next.left <= 0) waiting.shift()
      const course = toCourse(next?.script ?? {})
      courses.set(job, course)
      return course
    },
    of: (job) => courses.get(job) ?? toCourse({}),
    clear() {
      waiting = []
      courses = new WeakMap()
    },
  }
}

function toCourse({
  outcome = 'complete',
  error,
  in: place = 'processing',
  queuedMs,
  processingMs,
}: JobScript): JobCourse {
  const holds = outcome === 'hold'
  return {
    starts: outcome !== 'manual' && !(holds && place === 'queued'),
    finishes: outcome !== 'manual' && !holds,
    ...(outcome === 'fail' && error !== undefined ? { failure: error } : {}),
    ...(queuedMs === undefined ? {} : { queuedMs }),
    ...(processingMs === undefined ? {} : { processingMs }),
  }
}

function check(script: JobScript): void {
  const refuse = (reason: string): never => {
    throw new EmulatorOptionsError(`This script cannot be used: ${reason}.`)
  }
  const { outcome = 'complete', error, in: place = 'processing', times = 1 } = script
  if (!['complete', 'fail', 'hold', 'manual'].includes(outcome))
    refuse('outcome must be complete, fail, hold or manual')
  if (outcome === 'fail' && typeof error !== 'string') refuse('a job that fails needs an error text')
  if (!['queued', 'processing'].includes(place)) refuse('in must be queued or processing')
  if (times !== 'always' && !(Number.isInteger(times) && times > 0))
    refuse('times must be a whole number above 0, or "always"')
  for (const delayMs of [script.queuedMs, script.processingMs])
    if (delayMs !== undefined && !(delayMs >= 0)) refuse('queuedMs and processingMs must be 0 or more')
}
