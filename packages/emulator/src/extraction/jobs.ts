import type { ControlledClock } from '../core/controlled-clock.ts'
import { describeError, EmulatorOptionsError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { randomUuid, type RandomSource } from '../core/random.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { ExtractionChoices } from './choices.ts'
import { UnreadableDocumentError } from './document/pdf.ts'
import { readDocument } from './document/read-document.ts'
import type { Job, JobStatus, SubmittedFile } from './model.ts'
import type { JobScripts } from './job-scripts.ts'

/** How long a job takes by default. The service takes minutes. */
const QUEUED_MS = 1_000
const PROCESSING_MS = 3_000

/** What a submission says about the job to be made. */
export type NewJob = Pick<
  Job,
  'scope' | 'fileType' | 'pageCount' | 'pipeline' | 'includePages' | 'includeImages' | 'baseUrl'
> &
  Partial<Pick<Job, 'pipelineVersion' | 'schema' | 'blueprintId' | 'webhookUrl'>> & { file: SubmittedFile }

/** What jobs work with. */
export interface JobTools {
  clock: ControlledClock
  random: RandomSource
  choices: ExtractionChoices
  checkMove: TransitionCheck
  finalStatuses: ReadonlySet<string>

  scripts: JobScripts
  log: Log
  /** Is told of every job that ended. Its refusal of a completed job is the reason for which it fails. */
  beforeCompletion(job: Job): string | undefined
  ended(job: Job): void
}

/** The extraction jobs, and what moves them. */
export interface Jobs {
  submit(input: NewJob): Job
  find(id: string): Job | undefined
  byPreviewToken(token: string): Job | undefined
  all(): Job[]
  /** The submitted bytes of a picture whose job was asked for images. */
  pictureOf(job: Job): Uint8Array<ArrayBuffer> | undefined
  /** Moves a job one state on. */
  advance(id: string): Promise<void>
  /** Moves a job to its end. */
  finish(id: string, failure?: string): Promise<void>
  clear(): void
}

/** Makes an empty set of jobs. */
export function createJobs(tools: JobTools): Jobs {
  const { clock, random, choices, checkMove, finalStatuses } = tools
  const jobs = new Map<string, Job>()
  const byToken = new Map<string, Job>()
  const files = new Map<Job, SubmittedFile>()
  const pictures = new Map<Job, Uint8Array<ArrayBuffer>>()
  const timers = new Map<Job, { cancel(): void }>()
  const finishing = new Map<Job, Promise<void>>()
  let latest: { at: number; work?: Promise<void> } = { at: -1 }

  function move(job: Job, status: JobStatus): void {
    checkMove(job.status, status)
    job.status = status
  }

  function after(job: Job, delayMs: number, next: () => void): void {
    timers.get(job)?.cancel()
    timers.set(job, clock.setTimer(next, delayMs))
  }

  function start(job: Job): void {
    move(job, 'processing')
    timers.get(job)?.cancel()
    const { finishes, processingMs, failure } = tools.scripts.of(job)
    if (finishes)
      after(
        job,
        processingMs ?? choices.courseOf(job).processingMs ?? PROCESSING_MS,
        () => void end(job, failure),
      )
  }

  /** Ends a job once, however often it is asked to. */
  function end(job: Job, failure?: string): Promise<void> {
    timers.get(job)?.cancel()
    const running = finishing.get(job)
    if (running) return running
    const at = clock.monotonic()
    // Work is done side by side, but jobs that are due at one instant end in the order in which they fell due.
    const before = latest.at === at ? latest.work : undefined
    const work = clock.track(doWork(job, failure, before).catch((error: unknown) => giveUp(job, error)))
    latest = { at, work }
    finishing.set(job, work)
    return work
  }

  async function doWork(
    job: Job,
    failure: string | undefined,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const problem = failure ?? (await read(job))
    await before
    const reason = problem ?? tools.beforeCompletion(job)
    files.delete(job)
    timers.delete(job)
    // The emulator may have been reset meanwhile.
    if (jobs.get(job.id) !== job) return
    if (reason === undefined) {
      move(job, 'completed')
      job.completedAt = clock.now()
    } else {
      move(job, 'failed')
      job.error = reason
    }
    tools.log('info', `extraction: job ${job.id} ${job.status}${reason === undefined ? '' : `: ${reason}`}`)
    tools.ended(job)
  }

  /** Ends a job whose end itself failed, as only a replaced choice can make it; nobody waits who could be told. */
  function giveUp(job: Job, error: unknown): void {
    tools.log('error', `extraction: job ${job.id} could not be ended: ${describeError(error)}`)
    if (jobs.get(job.id) !== job || finalStatuses.has(job.status)) return
    move(job, 'failed')
    job.error = String(error)
    tools.ended(job)
  }

  /** Does the work of a job; answers why it failed, if it did. */
  async function read(job: Job): Promise<string | undefined> {
    const file = files.get(job)
    try {
      if (!file) return choices.failureReason({ cause: 'unreadable', details: [], job })
      job.pages = await readDocument(job.fileType, file.bytes, choices)
      job.pageCount = job.pages.length
      job.text = job.pages.map((page) => page.text).join('\n\n')
      if (job.includeImages && job.fileType === 'image/png') pictures.set(job, file.bytes)
      if (!job.schema) return undefined
      job.found = await choices.findFields({ schema: job.schema, pages: job.pages })
      const { missing } = job.found
      return missing.length > 0
        ? choices.failureReason({ cause: 'required-fields-not-found', details: missing, job })
        : undefined
    } catch (error) {
      const details = [error instanceof Error ? error.message : String(error)]
      if (error instanceof UnreadableDocumentError)
        return choices.failureReason({ cause: 'unreadable', details, job })
      tools.log('error', `extraction: job ${job.id} could not be worked on: ${describeError(error)}`)
      return choices.failureReason({ cause: 'work-failed', details, job })
    }
  }

  function unfinished(id: string): Job {
    const job = jobs.get(id)
    if (!job) throw new EmulatorOptionsError(`There is no job ${id}.`)
    if (finalStatuses.has(job.status))
      throw new EmulatorOptionsError(`The job ${id} is ${job.status} already.`)
    return job
  }

  return {
    submit({ file, ...input }) {
      const job: Job = {
        ...input,
        id: randomUuid(random),
        status: 'queued',
        fileName: file.name,
        sizeBytes: file.bytes.byteLength,
        createdAt: clock.now(),
        previewToken: choices.newIdentifier('preview-token', random),
        webhookAttempts: [],
        pages: [],
        text: '',
      }
      checkMove('null', job.status)
      if (job.webhookUrl !== undefined) job.webhookDelivered = false
      jobs.set(job.id, job)
      byToken.set(job.previewToken, job)
      files.set(job, file)
      const { starts, queuedMs } = tools.scripts.take(job)
      if (starts) after(job, queuedMs ?? choices.courseOf(job).queuedMs ?? QUEUED_MS, () => start(job))
      return job
    },
    find: (id) => jobs.get(id.toLowerCase()),
    byPreviewToken: (token) => byToken.get(token),
    all: () => [...jobs.values()],
    pictureOf: (job) => pictures.get(job),
    async advance(id) {
      const job = unfinished(id)
      if (job.status === 'queued') start(job)
      else await end(job, tools.scripts.of(job).failure)
    },
    async finish(id, failure) {
      const job = unfinished(id)
      if (job.status === 'queued') start(job)
      await end(job, failure)
    },
    clear() {
      for (const timer of timers.values()) timer.cancel()
      for (const map of [jobs, byToken, files, pictures, timers, finishing]) map.clear()
    },
  }
}
