import {
  DeadlineError,
  OperationFailedError,
  OptionsError,
  Semaphore,
  type Clock,
  type ConcurrencyLimit,
  type Lease,
} from '@concord/runtime'
import { callCaller } from '@concord/runtime/internal'

import { TaskCancelledError, TaskFailedError } from '../errors.ts'
import { nextChanges } from '../regenerate.ts'
import type { BodyContext } from '../request-body.ts'
import type { PreparedRequest } from '../preparation.ts'
import type { SucceededTask } from '../results.ts'
import type { TaskHandle } from '../task.ts'
import type { BatchRecord, OpenJournal, BatchRequest, StoredFile } from './journal.ts'
import type { BatchOptions, BatchOutcome, BatchReport, BatchSettings } from './options.ts'
import { outcomeFor, type Observed } from './outcomes.ts'
import type { BatchState, ItemState } from './state.ts'
import { Submitter, type Replacement, type SubmitterTools } from './submitter.ts'

export interface BatchTools extends Pick<SubmitterTools, 'terms' | 'send'> {
  prepare(item: BatchRequest, how: Pick<BodyContext, 'signal' | 'dry'>): Promise<PreparedRequest>
  /** If `isNew` is true, the first poll is delayed. */
  attach(taskId: string, isNew: boolean): TaskHandle
}

/**
 * Processes the requests of a batch. Records each submission before sending it, and each result before acting on it,
 * so that another process can continue from the journal.
 */
export class Batch {
  readonly #tools: BatchTools
  readonly #options: BatchOptions
  readonly #settings: BatchSettings
  readonly #state: BatchState
  readonly #journal: OpenJournal | undefined
  readonly #clock: Clock
  readonly #stop = new AbortController()
  /** Ends the submissions that are still in progress after `abortGrace`. */
  readonly #cut = new AbortController()
  readonly #submitter: Submitter
  readonly #slots: Pick<ConcurrencyLimit, 'acquire'>
  readonly #outcomes: (BatchOutcome | undefined)[]
  readonly #counts = { succeeded: 0, failed: 0, denied: 0, notSent: 0, uncertain: 0, unfinished: 0 }
  /** The error that `run` rejects with. */
  #fatal: { readonly error: unknown } | undefined = undefined
  #graceTimer: { cancel(): void } | undefined = undefined
  /** Kept so that a regeneration doesn't read and upload the inputs again. */
  readonly #prepared = new Map<number, PreparedRequest>()
  readonly #fileNames: FileNames
  #running = 0
  #throttledMs = 0

  constructor(
    tools: BatchTools,
    { options, settings }: { readonly options: BatchOptions; readonly settings: BatchSettings },
    state: BatchState,
    journal: OpenJournal | undefined,
  ) {
    this.#tools = tools
    this.#options = options
    this.#settings = settings
    this.#state = state
    this.#journal = journal
    this.#clock = tools.terms.clock
    this.#fileNames = new FileNames(state.items)
    this.#outcomes = state.requests.map(() => undefined)
    this.#slots = sharedSlots(new Semaphore(settings.concurrency), options.sharedConcurrency)
    this.#submitter = new Submitter({
      ...tools,
      state,
      settings,
      stop: this.#stop.signal,
      cut: this.#cut.signal,
      record: (record) => this.#record(record),
      onPause: () => this.#progress(),
    })
  }

  /** @throws only the reason of an aborted signal, or an error from a callback or the journal. */
  async run(): Promise<BatchReport> {
    const { signal } = this.#options
    const { deadlineMs } = this.#settings
    const onAbort = ({ target }: Event): void => this.#halt((target as AbortSignal).reason, true)
    // The client's own signals abort when the client is closed.
    const signals = [signal, ...this.#tools.terms.signals].filter((each) => each !== undefined)
    for (const each of signals) each.throwIfAborted()
    for (const each of signals) each.addEventListener('abort', onAbort)
    const deadline =
      deadlineMs === Infinity
        ? undefined
        : this.#clock.setTimer(() => this.#halt(tooLate(deadlineMs), false), deadlineMs)
    try {
      const queue = await this.#recover()
      // A request holds a slot until its task has ended, but holds a worker until the task's outputs are stored. With
      // twice as many workers as slots, the next tasks can run while outputs are stored.
      const workers = this.#settings.concurrency * (this.#options.store === undefined ? 1 : 2)
      await Promise.all(Array.from({ length: Math.min(workers, queue.length) }, () => this.#work(queue)))
    } finally {
      for (const each of signals) each.removeEventListener('abort', onAbort)
      deadline?.cancel()
      this.#graceTimer?.cancel()
    }
    if (this.#fatal !== undefined) throw this.#fatal.error
    return this.#report()
  }

  /**
   * Reports the outcomes of requests that don't need further processing.
   *
   * @returns the indexes of the requests that need processing, accepted requests first.
   */
  async #recover(): Promise<number[]> {
    const accepted: number[] = []
    const open: number[] = []
    for (const [index, item] of this.#state.items.entries()) {
      if (item.phase === 'sending') {
        await this.#record({
          type: 'answer',
          index,
          outcome: 'uncertain',
          reason:
            'An earlier process ended before it recorded the response to this request. The request may have been ' +
            "accepted and charged. The service can't list tasks, so the batch can't check this and doesn't send " +
            'the request again. To send it anyway, pass it in a new batch; it may then be charged twice.',
        })
      }
      if (item.phase === 'accepted') accepted.push(index)
      else if (item.phase === 'open') open.push(index)
      else await this.#reportOutcome(index, { handle: this.#handle(index) })
    }
    this.#progress()
    return [...accepted, ...open]
  }

  async #work(queue: number[]): Promise<void> {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      if (this.#fatal !== undefined) return
      this.#running++
      this.#progress()
      const seen = await this.#process(index)
      this.#running--
      await this.#reportOutcome(index, seen)
      this.#progress()
    }
  }

  /** Processes one request. The promise never rejects. */
  async #process(index: number): Promise<Observed> {
    let lease: Lease | undefined
    let handle: TaskHandle | undefined
    try {
      if (this.#submitter.ended !== undefined && this.#state.item(index).phase === 'open')
        throw this.#submitter.ended.error
      lease = await this.#slots.acquire(1, [this.#stop.signal])
      const resumed = this.#state.item(index).phase === 'accepted'
      if (!resumed) await this.#submit(index, undefined)
      handle = await this.#announceTask(index, resumed)
      for (;;) {
        const seen = await this.#wait(handle)
        const next = TaskFailedError.is(seen.failure)
          ? await this.#regenerate(index, handle, seen.failure)
          : undefined
        if (next === undefined) {
          lease[Symbol.dispose]()
          await this.#storeAndRecord(index, handle, seen)
          return { handle, ...seen }
        }
        await this.#submit(index, next)
        handle = await this.#announceTask(index, false)
      }
    } catch (error) {
      return { handle: handle ?? this.#handle(index), error }
    } finally {
      this.#prepared.delete(index)
      lease?.[Symbol.dispose]()
    }
  }

  async #submit(index: number, replacement: Replacement | undefined): Promise<void> {
    const request = await this.#prepare(index)
    const body = { ...request.body, ...this.#state.item(index).changes, ...replacement?.changes }
    await this.#submitter.submit(index, { ...request, body }, replacement)
  }

  async #prepare(index: number): Promise<PreparedRequest> {
    const known = this.#prepared.get(index)
    if (known !== undefined) return known
    const request = await this.#tools.prepare(this.#request(index), { signal: this.#stop.signal })
    // A prepared body can contain whole files, so it is kept only if the request may be submitted again.
    if (this.#options.regenerate !== undefined) this.#prepared.set(index, request)
    return request
  }

  async #announceTask(index: number, resumed: boolean): Promise<TaskHandle> {
    const { operation } = this.#request(index)
    const handle = this.#tools.attach(this.#state.item(index).taskId ?? '', !resumed)
    await this.#call(() => this.#options.onAccepted?.({ index, operation, handle, resumed }))
    return handle
  }

  async #wait(handle: TaskHandle): Promise<Omit<Observed, 'handle'>> {
    const { taskDeadline } = this.#options
    try {
      const task = await handle.wait({
        signal: this.#stop.signal,
        ...(taskDeadline !== undefined && { deadline: taskDeadline }),
      })
      return { task }
    } catch (error) {
      // The error may be about another task: if a callback throws such an error, all waits of the batch reject with it.
      const isOwn = OperationFailedError.is(error) && error.id === handle.id
      return isOwn ? { failure: error } : { error }
    }
  }

  /** Returns the submission that replaces a failed task, or `undefined` if the task is not regenerated. */
  async #regenerate(
    index: number,
    handle: TaskHandle,
    error: TaskFailedError,
  ): Promise<Replacement | undefined> {
    const { regenerate } = this.#options
    const item = this.#state.item(index)
    if (regenerate === undefined || item.replaced.length >= regenerate.maxTimes) return undefined
    const changes = await this.#call(async () => {
      const { body } = await this.#prepare(index)
      return nextChanges(regenerate, error, { ...body, ...item.changes })
    })
    if (changes === undefined || this.#stop.signal.aborted || this.#submitter.ended !== undefined)
      return undefined
    try {
      this.#submitter.enforceMaxCredits(index, changes)
    } catch {
      return undefined
    }
    const { id: failedId, reason: failure, category } = error
    const credits = this.#state.priceWith(index, changes)
    await this.#call(() => regenerate.onRegenerate?.({ failedId, failure, category, credits }))
    if (this.#stop.signal.aborted) return undefined
    return { replaces: { id: failedId, failure, throttledMs: handle.throttledMs }, changes }
  }

  async #storeAndRecord(
    index: number,
    { throttledMs }: TaskHandle,
    { task, failure }: Observed,
  ): Promise<void> {
    if (task !== undefined) {
      const files = await this.#store(index, task)
      await this.#record({ type: 'succeeded', index, files, throttledMs })
    } else if (TaskCancelledError.is(failure)) {
      const status = failure.status ?? ''
      await this.#record({ type: 'failed', index, failure: status, cancelled: true, throttledMs })
    } else if (TaskFailedError.is(failure) && !this.#mayRegenerate(index, failure)) {
      await this.#record({ type: 'failed', index, failure: failure.reason, cancelled: false, throttledMs })
    }
  }

  /** Returns true if only a resumed batch can regenerate the failed task, because this batch has stopped submitting. */
  #mayRegenerate(index: number, error: TaskFailedError): boolean {
    const { maxTimes = 0, changePrompt } = this.#options.regenerate ?? {}
    const canRetry =
      error.advice === 'retry' || (error.advice === 'change-prompt' && changePrompt !== undefined)
    const stopped = this.#stop.signal.aborted || this.#submitter.ended !== undefined
    return stopped && canRetry && this.#state.item(index).replaced.length < maxTimes
  }

  async #store(index: number, task: SucceededTask): Promise<readonly StoredFile[]> {
    const { store } = this.#options
    const { signal } = this.#stop
    if (store === undefined) return []
    if (typeof store === 'function') {
      for (const output of task.outputs)
        await callCaller(() => store(output, { request: index, task, signal }), 'accepted')
      return []
    }
    const { folder, nameOf } = store
    const named = nameOf && {
      nameOf: (output: NameInput) => this.#fileNames.claim(index, nameOf({ request: index, ...output })),
    }
    const done = await task.download({ folder, signal, ...named })
    return done.map(({ path, sizeBytes, contentType }) => ({
      path,
      sizeBytes,
      ...(contentType !== undefined && { contentType }),
    }))
  }

  async #reportOutcome(index: number, seen: Observed): Promise<void> {
    const item = this.#state.item(index)
    const outcome = outcomeFor(index, this.#request(index), item, seen)
    // Without this record, a resumed batch could resend a request that was reported as uncertain.
    if (outcome.outcome === 'uncertain' && item.phase === 'open')
      await this.#record({ type: 'abandoned', index, reason: outcome.reason })
    this.#outcomes[index] = outcome
    this.#counts[outcome.outcome === 'not-sent' ? 'notSent' : outcome.outcome]++
    this.#throttledMs += throttledOf(item, seen)
    if (item.reported) return
    const reported = await this.#call(async () => {
      await this.#options.onOutcome?.(outcome)
      return true
    })
    const isFinal = item.phase !== 'open' && item.phase !== 'accepted'
    // Not awaited: if this record is lost, a resumed batch only reports the outcome again.
    if (reported === true && isFinal) void this.#record({ type: 'reported', index })
  }

  /** Calls a callback. If it throws, the batch ends. */
  async #call<Result>(call: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await call()
    } catch (error) {
      this.#halt(error, true)
      return undefined
    }
  }

  /** Applies a record to the state, and appends it to the journal. If appending fails, the batch ends. */
  async #record(record: BatchRecord): Promise<void> {
    this.#state.apply(record)
    if (this.#journal === undefined) return
    try {
      const appended = this.#journal.append([record])
      await (this.#clock.track?.(appended) ?? appended)
    } catch (error) {
      this.#halt(error, true)
    }
  }

  /** Stops submitting, ends all waits, and lets submissions in progress continue for at most `abortGrace`. */
  #halt(error: unknown, rejects: boolean): void {
    if (rejects) this.#fatal ??= { error }
    if (this.#stop.signal.aborted) return
    this.#stop.abort(error)
    this.#graceTimer = this.#clock.setTimer(() => this.#cut.abort(error), this.#settings.abortGraceMs)
  }

  #progress(): void {
    const { onProgress } = this.#options
    if (onProgress === undefined) return
    const ended = Object.values(this.#counts).reduce((sum, each) => sum + each, 0)
    const total = this.#state.requests.length
    const { pauseMs } = this.#submitter
    try {
      onProgress({
        total,
        waiting: total - ended - this.#running,
        running: this.#running,
        ...this.#counts,
        credits: this.#state.creditsSoFar(),
        ...(pauseMs > 0 && { pausedUntilMs: this.#clock.now() + pauseMs }),
      })
    } catch (error) {
      this.#halt(error, true)
    }
  }

  #report(): BatchReport {
    return {
      outcomes: this.#outcomes as BatchOutcome[],
      ...this.#counts,
      throttledMs: this.#throttledMs,
      credits: this.#state.creditsSoFar(),
    }
  }

  /** Uses the request's last known task, even a failed task whose replacement wasn't accepted. */
  #handle(index: number): TaskHandle | undefined {
    const { taskId, replaced } = this.#state.item(index)
    const id = taskId ?? replaced.at(-1)?.id
    return id === undefined ? undefined : this.#tools.attach(id, false)
  }

  #request(index: number): BatchRequest {
    return this.#state.requests[index] as BatchRequest
  }
}

/** Ensures that no file replaces a file of another request. Names have no extension. */
class FileNames {
  readonly #requests = new Map<string, number>()

  constructor(items: readonly Pick<ItemState, 'files'>[]) {
    for (const [index, { files }] of items.entries())
      for (const { path } of files) this.#requests.set(withoutExtension(path), index)
  }

  /** @throws OptionsError if another request has already claimed this name. */
  claim(index: number, name: string): string {
    const owner = this.#requests.get(name) ?? index
    if (owner !== index) {
      throw new OptionsError(
        'store.nameOf',
        `\`store.nameOf\` returned the same name for requests[${owner}] and requests[${index}], so one file would replace the other.`,
        'Make the name depend on `request` or `taskId`. Then resume the batch. If it has no journal, it cannot be ' +
          'resumed, so download the outputs through the `handle` of each `unfinished` outcome.',
      )
    }
    this.#requests.set(name, index)
    return name
  }
}

function withoutExtension(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return name.replace(/\.[^.]*$/, '')
}

type NameInput = { readonly taskId: string; readonly index: number; readonly count: number }

/** Until the end of a task is recorded, only the handle knows the throttled time. */
function throttledOf({ phase, throttledMs }: ItemState, { handle }: Observed): number {
  return throttledMs + (phase === 'accepted' ? (handle?.throttledMs ?? 0) : 0)
}

function tooLate(limitMs: number): DeadlineError {
  return new DeadlineError(
    `The batch reached its deadline (${limitMs / 1000} s) before this request ended. If the outcome is ` +
      '`unfinished`, the task continues at the service. To wait for the task, resume the batch; without a journal, ' +
      'call `wait()` on the `handle` of the outcome.',
    { limitMs, elapsedMs: limitMs },
    { operation: 'batch' },
  )
}

/** Combines the batch's own limit with the limit that processes share. */
function sharedSlots(
  own: Semaphore,
  shared: ConcurrencyLimit | undefined,
): Pick<ConcurrencyLimit, 'acquire'> {
  if (shared === undefined) return own
  return {
    async acquire(weight, signals): Promise<Lease> {
      // The batch's own slot comes first, so that no shared slot is held while waiting for it.
      const slot = await own.acquire(weight, signals)
      let lease: Lease
      try {
        lease = await shared.acquire(weight, signals)
      } catch (error) {
        slot[Symbol.dispose]()
        throw error
      }
      return {
        weight: lease.weight,
        [Symbol.dispose]() {
          lease[Symbol.dispose]()
          slot[Symbol.dispose]()
        },
      }
    },
  }
}
