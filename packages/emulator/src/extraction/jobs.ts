import type { BackgroundWork } from '../core/background.ts'
import { describeError, EmulatorOptionsError, required, toEmulatorError } from '../core/errors.ts'
import { randomUuid } from '../core/random.ts'
import type { Scripts } from '../core/scripts.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import { UnreadableDocumentError } from './document/pdf.ts'
import { readDocument } from './document/read-document.ts'
import { toCourse, type JobCourse, type JobScript } from './job-scripts.ts'
import type { Job, JobStatus, SubmittedFile } from './model.ts'
import type { ExtractionTools } from './choices.ts'

const QUEUED_MS = 1_000
const PROCESSING_MS = 3_000

/** The wording of this job error is undocumented. */
const UNREADABLE = 'The document is corrupt or unreadable.'

type NewJob = Pick<
  Job,
  'scope' | 'fileType' | 'pageCount' | 'pipeline' | 'includePages' | 'includeImages' | 'baseUrl'
> &
  Partial<Pick<Job, 'pipelineVersion' | 'schema' | 'blueprintId' | 'webhookUrl'>> & { file: SubmittedFile }

interface JobTools extends ExtractionTools {
  readonly checkMove: TransitionCheck
  readonly finalStatuses: ReadonlySet<string>
  readonly scripts: Scripts<JobScript>
  /** Returns a reason if the job must fail instead of completing. */
  beforeCompletion(job: Job): string | undefined
  ended(job: Job): void
}

interface JobEntry {
  readonly job: Job
  readonly course: JobCourse
  /** The submitted file, until the job has ended. */
  file?: SubmittedFile
  /** The submitted bytes of a PNG, if the job's `includeImages` is true. */
  picture?: Uint8Array<ArrayBuffer>
  timer?: { cancel(): void }
  /** Absent until the work that ends the job has started. */
  finishing?: Promise<void>
}

export class Jobs {
  readonly #tools: JobTools
  readonly #entries = new Map<string, JobEntry>()
  readonly #byToken = new Map<string, Job>()
  #latest: { at: number; work?: Promise<void> } = { at: -1 }

  constructor(tools: JobTools) {
    this.#tools = tools
  }

  submit({ file, ...input }: NewJob): Job {
    const { random, clock, choices, scripts, checkMove } = this.#tools
    const job: Job = {
      ...input,
      id: randomUuid(random),
      status: checkMove('null', 'queued'),
      fileName: file.name,
      sizeBytes: file.bytes.byteLength,
      createdAt: clock.now(),
      previewToken: choices.newIdentifier('preview-token', random),
      webhookAttempts: [],
      pages: [],
      text: '',
    }
    if (job.webhookUrl !== undefined) job.webhookDelivered = false
    const course = toCourse(scripts.take() ?? {})
    const delayMs = course.queuedMs ?? choices.courseOf(job).queuedMs ?? QUEUED_MS
    const entry: JobEntry = { job, course, file }
    this.#entries.set(job.id, entry)
    this.#byToken.set(job.previewToken, job)
    if (course.starts) this.#after(entry, delayMs, () => this.#start(entry))
    return job
  }

  find(id: string): Job | undefined {
    return this.#entries.get(id.toLowerCase())?.job
  }

  previewed(token: string): Job | undefined {
    const job = this.#byToken.get(token)
    const { previewBeforeCompletion } = this.#tools.choices.results
    return job?.status === 'completed' || previewBeforeCompletion ? job : undefined
  }

  all(): Job[] {
    return [...this.#entries.values()].map(({ job }) => job)
  }

  pictureOf(job: Job): Uint8Array<ArrayBuffer> | undefined {
    return this.#entries.get(job.id)?.picture
  }

  async advance(id: string): Promise<void> {
    const entry = this.#unfinished(id)
    if (entry.job.status === 'queued') this.#start(entry)
    else await this.#end(entry, entry.course.failure)
  }

  async finish(id: string, failure?: string): Promise<void> {
    const entry = this.#unfinished(id)
    if (entry.job.status === 'queued') this.#start(entry)
    await this.#end(entry, failure)
  }

  clear(): void {
    for (const { timer } of this.#entries.values()) timer?.cancel()
    this.#entries.clear()
    this.#byToken.clear()
  }

  #unfinished(id: string): JobEntry {
    const entry = required(this.#entries.get(id), `job ${id}`)
    const { status } = entry.job
    if (this.#tools.finalStatuses.has(status))
      throw new EmulatorOptionsError(`The job ${id} is already ${status}.`)
    return entry
  }

  #move(job: Job, status: JobStatus): void {
    job.status = this.#tools.checkMove(job.status, status)
  }

  #after(entry: JobEntry, delayMs: number, next: () => void): void {
    entry.timer?.cancel()
    entry.timer = this.#tools.background.setTimer(this.#workOf(entry), next, delayMs)
  }

  #start(entry: JobEntry): void {
    const { job, course } = entry
    this.#move(job, 'processing')
    entry.timer?.cancel()
    if (!course.finishes) return
    const delayMs = course.processingMs ?? this.#tools.choices.courseOf(job).processingMs ?? PROCESSING_MS
    this.#after(entry, delayMs, () => void this.#end(entry, course.failure))
  }

  #end(entry: JobEntry, failure?: string): Promise<void> {
    entry.timer?.cancel()
    if (entry.finishing) return entry.finishing
    const { clock, background } = this.#tools
    const at = clock.monotonic()
    // Jobs are processed concurrently, but jobs that are due at the same time end in the order of the `#end` calls.
    const before = this.#latest.at === at ? this.#latest.work : undefined
    const work = clock.track(
      this.#finish(entry, failure, before).catch((error: unknown) =>
        background.failed(this.#workOf(entry), error),
      ),
    )
    this.#latest = { at, work }
    entry.finishing = work
    return work
  }

  async #finish(entry: JobEntry, failure: string | undefined, before: Promise<void> | undefined) {
    const { job } = entry
    const problem = failure ?? (await this.#process(entry))
    await before
    const reason = problem ?? this.#tools.beforeCompletion(job)
    delete entry.file
    if (this.#isForgotten(job)) return
    if (reason === undefined) {
      this.#move(job, 'completed')
      job.completedAt = this.#tools.clock.now()
    } else {
      this.#move(job, 'failed')
      job.error = reason
    }
    const why = reason === undefined ? '' : `: ${reason}`
    this.#tools.log('info', `extraction: job ${job.id} ${job.status}${why}`)
    this.#tools.ended(job)
  }

  /** Makes the job fail if its background work throws an error, for instance in an overridden choice. */
  #workOf({ job }: JobEntry): BackgroundWork {
    return {
      operation: 'processDocument',
      about: `job ${job.id}`,
      failed: (error) => {
        if (this.#isForgotten(job) || this.#tools.finalStatuses.has(job.status)) return
        job.status = 'failed'
        job.error = error.message
        this.#tools.ended(job)
      },
    }
  }

  /** Returns whether the emulator was reset after the job was submitted. */
  #isForgotten(job: Job): boolean {
    return this.#entries.get(job.id)?.job !== job
  }

  /** Returns a reason if the job must fail. */
  async #process(entry: JobEntry): Promise<string | undefined> {
    const { job, file } = entry
    const { choices, log } = this.#tools
    if (!file) return UNREADABLE
    try {
      job.pages = await readDocument(job.fileType, file.bytes, choices)
      job.pageCount = job.pages.length
      job.text = job.pages.map((page) => page.text).join('\n\n')
      if (job.includeImages && job.fileType === 'image/png') entry.picture = file.bytes
      if (!job.schema) return undefined
      job.found = await choices.findFields({ schema: job.schema, pages: job.pages })
      const { missing } = job.found
      return missing.length > 0 ? `Required fields not found: ${missing.join(', ')}.` : undefined
    } catch (error) {
      if (error instanceof UnreadableDocumentError) return UNREADABLE
      const failure = toEmulatorError(error, 'processDocument', 'The emulator failed')
      log('error', `extraction: processDocument: job ${job.id}: ${describeError(failure)}`)
      return `The document could not be processed. ${failure.message}`
    }
  }
}
