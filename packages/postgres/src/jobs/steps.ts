import { retryAfterOf } from '@concord/runtime/internal'

import { rehearsal, rows, type Session, transaction } from '../database/database.ts'
import { Contention, type UnclaimedJob } from './journal.ts'
import type { ClaimedResult, ClaimedSubmission, DuePoll, JobChange, JobKey } from './model.ts'
import { pollFailure, reasonText, submissionFailure } from './outcomes.ts'
import { acquire, Bell, release, Slots } from './pace.ts'
import { requeue, type ServiceParts } from './parts.ts'
import { CANCELED, NO_RESPONSE } from './reasons.ts'
import { Settler } from './settler.ts'
import { SharedPause } from './shared-pause.ts'
import { ticketId } from './ticket-id.ts'
import type { Step, Ticket } from './tickets.ts'

interface StepParts extends ServiceParts {
  readonly concurrency: number
  /** Called when a job has ended. */
  onDone(): void
}

/** The fields that a {@link JobChange} copies from its job. */
type HeldJob = Pick<JobChange, 'batch' | 'position' | 'intent' | 'ticket'>
type Change = Omit<JobChange, keyof HeldJob | 'from'>

/** An idle step looks for jobs again after this time, even without a notification. */
const IDLE_MS = 10_000
const STORE_ATTEMPTS = 5
/** Allows for the difference between the database's clock and this process's clock. */
const SLACK_MS = 25
/** If another transaction has locked jobs, a step waits this long before it tries again to claim them. */
const CONTENDED_MS = 50
const DATABASE_PAUSE_MS = { min: 100, max: 10_000 }

/** Takes one service's jobs through their steps. */
export class Steps {
  readonly #parts: StepParts
  readonly #settler: Settler
  readonly #pause: SharedPause
  readonly #submitting: Slots
  readonly #polling: Slots
  readonly #storing: Slots
  readonly #bells: Readonly<Record<Step | 'wait', Bell>>
  readonly #sending = new Set<JobKey>()
  /**
   * True if a commit of this worker was not confirmed. The database may then list this worker as the submitter of
   * jobs that it isn't submitting.
   */
  #isInDoubt = false
  /** The earliest due time (monotonic clock) of the tickets that this worker put back with a delay, for each step. */
  readonly #dueAtMs: Record<Step | 'wait', number> = { submit: Infinity, wait: Infinity, store: Infinity }
  /** The highest `turn` of the submission tickets that this worker has taken (see `NewTicket`). */
  turn = 0

  constructor(parts: StepParts) {
    this.#parts = parts
    const { clock, concurrency } = parts
    this.#settler = new Settler(parts)
    this.#pause = new SharedPause(parts)
    this.#submitting = new Slots(concurrency)
    this.#polling = new Slots(concurrency)
    this.#storing = new Slots(concurrency)
    this.#bells = { submit: new Bell(clock), wait: new Bell(clock), store: new Bell(clock) }
  }

  ring(step: Step | 'wait'): void {
    this.#bells[step].ring()
  }

  /** Pauses because another worker paused the service. */
  pauseFor(delayMs: number): void {
    this.#pause.extend(delayMs)
  }

  /**
   * Takes jobs until `stop` is aborted. Then waits for the jobs in progress, but only until `cut` is aborted.
   *
   * @returns the changes that could not be recorded.
   */
  async run(stop: AbortSignal, cut: AbortSignal): Promise<readonly JobChange[]> {
    const loops = [
      this.#loop('submit', stop, () => this.#takeSubmissions(stop, cut)),
      this.#loop('wait', stop, () => this.#takePolls(stop, cut)),
      this.#loop('store', stop, () => this.#takeResults(stop, cut)),
    ]
    await Promise.all(loops)
    await Promise.all([this.#submitting.idle(cut), this.#polling.idle(cut), this.#storing.idle(cut)])
    return this.#settler.finish(cut)
  }

  /** Calls `take` repeatedly. `take` returns how many milliseconds to wait for the bell before the next call. */
  async #loop(step: Step | 'wait', stop: AbortSignal, take: () => Promise<number>): Promise<void> {
    let failures = 0
    while (!stop.aborted) {
      let idleMs: number
      try {
        const pausedMs = this.#pause.remainingMs
        idleMs = pausedMs > 0 ? pausedMs : Math.min(await take(), this.#untilDueMs(step))
        failures = 0
      } catch (error) {
        this.#parts.onError(error)
        idleMs = Math.min(DATABASE_PAUSE_MS.max, DATABASE_PAUSE_MS.min * 2 ** failures++)
      }
      if (idleMs > 0) await this.#bells[step].wait(idleMs, stop)
    }
  }

  /**
   * Returns the milliseconds until the time in `#dueAtMs`. If that time has passed, clears it, because the step has
   * just looked for tickets. If this worker dies, another worker finds the due ticket up to 10 s later.
   */
  #untilDueMs(step: Step | 'wait'): number {
    const remainingMs = this.#dueAtMs[step] - this.#parts.clock.monotonic()
    if (remainingMs > 0) return remainingMs
    this.#dueAtMs[step] = Infinity
    return Infinity
  }

  /**
   * Returns true if no request may be sent now. Steps check this after each wait for free slots or a limit, because a
   * pause can begin during the wait.
   */
  #isHalted(stop: AbortSignal): boolean {
    return stop.aborted || this.#pause.remainingMs > 0
  }

  /** Records the time at which a ticket is due. The loop may be in a longer wait, so the bell ends that wait. */
  #expect(step: Step, delayMs: number): void {
    this.#dueAtMs[step] = Math.min(this.#dueAtMs[step], this.#parts.clock.monotonic() + delayMs + SLACK_MS)
    this.#bells[step].ring()
  }

  async #takeSubmissions(stop: AbortSignal, cut: AbortSignal): Promise<number> {
    const limit = this.#parts.service.limits.submit
    const room = await this.#submitting.room(stop)
    if (this.#isHalted(stop)) return 0
    if (limit !== undefined && !(await this.#hasSubmission())) return IDLE_MS
    // Acquire the limit before claiming a job, because a claimed job would be `submitting` during the wait.
    const lease = await acquire(limit, stop)
    if (this.#isHalted(stop)) return release(lease)
    const wanted = limit === undefined ? room : 1
    let claimed: readonly ClaimedSubmission[]
    try {
      if (this.#isInDoubt) await this.#returnUnsent()
      claimed = await this.#claim(wanted)
    } catch (error) {
      release(lease)
      if (error instanceof Contention) return CONTENDED_MS
      this.#isInDoubt = true
      throw error
    }
    if (claimed.length === 0) release(lease)
    for (const job of claimed) {
      this.#submitting.run(() => this.#submit(job, cut).finally(() => void release(lease)))
    }
    return claimed.length < wanted ? IDLE_MS : 0
  }

  #hasSubmission(): Promise<boolean> {
    const { pool, tickets, name } = this.#parts
    return rehearsal(pool, async (session) => {
      const room = await this.#roomAtService(session)
      return room > 0 && (await tickets.take(session, name, 'submit', 1)).length > 0
    })
  }

  /** Returns how many more jobs `limits.unfinished` allows at the service. */
  async #roomAtService(session: Session): Promise<number> {
    const { journal, name, service } = this.#parts
    const { unfinished } = service.limits
    return unfinished === undefined
      ? Infinity
      : unfinished - (await journal.unfinished(session, name, unfinished))
  }

  async #claim(most: number): Promise<ClaimedSubmission[]> {
    const { pool, journal, name, service, worker } = this.#parts
    const claimed = await transaction(pool, async (session) => {
      const count = Math.min(most, await this.#roomAtService(session))
      const { jobs, others } = await this.#take(session, 'submit', count, (taken) => {
        this.turn = Math.max(this.turn, ...taken.map(({ turn }) => turn))
        return journal.intend(session, worker(), taken)
      })
      // A job in `others` could not be claimed: a person canceled it, it has expired, it has left the queue, or it is
      // still `submitting`. In the last case, a worker got no response for so long that pg-boss released the ticket.
      const ending = others.filter((job) => job.ending !== null)
      if (ending.length > 0) await journal.endUnsent(session, ending)
      const silent = others.filter(({ phase }) => phase === 'submitting')
      if (service.repeatable) await requeue(session, this.#parts, name, { jobs: silent, phase: 'queued' })
      else if (silent.length > 0) {
        const change = { from: 'submitting', phase: 'uncertain', reason: NO_RESPONSE } as const
        await journal.settle(
          session,
          worker(),
          silent.map(({ batch, position, intent }) => ({ batch, position, intent, ...change })),
        )
      }
      return jobs
    })
    for (const job of claimed) this.#sending.add(job)
    return claimed
  }

  /**
   * Takes tickets, and claims their jobs. Removes the tickets of jobs that can't be claimed.
   *
   * @throws Contention if another transaction has locked one of these jobs.
   */
  async #take<Job extends { readonly ticket: string | undefined }>(
    session: Session,
    step: Step,
    count: number,
    claim: (tickets: readonly (Ticket & { readonly turn: number })[]) => Promise<Job[]>,
  ): Promise<{ readonly jobs: Job[]; readonly others: readonly UnclaimedJob[] }> {
    const { journal, tickets, name } = this.#parts
    const taken = count > 0 ? await tickets.take(session, name, step, count) : []
    if (taken.length === 0) return { jobs: [], others: [] }
    const jobs = await claim(taken)
    const known = new Set(jobs.map(({ ticket }) => ticket))
    const unknown = taken.filter(({ id }) => !known.has(id))
    const others = await journal.unclaimed(session, unknown, step === 'submit' ? 'queued' : 'storing')
    const used = unknown.map(({ id }) => id)
    await tickets.remove(session, name, step, used)
    return { jobs, others }
  }

  /** Requeues jobs whose rows say wrongly that this worker is submitting them (see `#isInDoubt`). */
  async #returnUnsent(): Promise<void> {
    const { pool, journal, tickets, name, worker } = this.#parts
    await transaction(pool, async (session) => {
      const known = [...this.#sending].map(({ batch, position }) => ({ batch, position }))
      const found = await journal.unsent(session, name, worker(), known)
      const used = found.map(({ ticket }) => ticket)
      await tickets.remove(session, name, 'submit', used)
      await requeue(session, this.#parts, name, { jobs: found, phase: 'queued' })
    })
    this.#isInDoubt = false
  }

  async #submit(job: ClaimedSubmission, cut: AbortSignal): Promise<void> {
    const { service } = this.#parts
    let change: Change
    try {
      const remote = await service.submit(job.request, cut)
      this.#pause.succeeded()
      change = { phase: 'waiting', remote, delayMs: service.firstDelayMs }
    } catch (error) {
      change = this.#afterFailure(job, error)
    }
    await this.#settle(job, 'submitting', change)
    this.#sending.delete(job)
    if (change.phase === 'waiting') this.#bells.wait.ring()
    if (change.phase === 'queued') this.#expect('submit', change.delayMs ?? 0)
  }

  /** @returns false if the change wasn't written, for example because another worker has taken over the job. */
  #settle(job: HeldJob, from: JobChange['from'], change: Change): Promise<boolean> {
    const { batch, position, intent, ticket } = job
    return this.#settler.add({ batch, position, intent, ticket, from, ...change })
  }

  async #end(job: HeldJob, from: JobChange['from'], change: Change): Promise<void> {
    this.#parts.onDone()
    await this.#settle(job, from, change)
  }

  #afterFailure(job: ClaimedSubmission, error: unknown): Change {
    const { service, onDone } = this.#parts
    const { outcome, id, canRetry, retryAfterMs, reason } = submissionFailure(error)
    if (outcome === 'accepted' && id !== undefined)
      return { phase: 'waiting', remote: id, delayMs: service.firstDelayMs }
    const isCertain = outcome === 'not-sent' || outcome === 'denied'
    if (isCertain ? canRetry : service.repeatable) {
      const delayMs = this.#pause.pause(retryAfterMs, reason)
      return { phase: 'queued', reason, failures: job.failures + 1, delayMs }
    }
    onDone()
    return { phase: isCertain ? 'denied' : 'uncertain', reason }
  }

  async #takePolls(stop: AbortSignal, cut: AbortSignal): Promise<number> {
    const { pool, journal, name, service } = this.#parts
    const limit = service.limits.poll
    await this.#polling.room(stop)
    // A poll can return a result. Without a free slot to store the result, the job would have to be polled again.
    await this.#storing.room(stop)
    if (this.#isHalted(stop)) return 0
    const room = Math.min(this.#polling.free, this.#storing.free)
    // The loop that stores results may have taken the free slots in the meantime.
    if (room < 1) return 0
    const wanted = limit === undefined ? room : 1
    if (limit !== undefined) {
      const delayMs = await this.#untilNextPollMs()
      if (delayMs > 0) return delayMs
    }
    const lease = await acquire(limit, stop)
    if (this.#isHalted(stop)) return release(lease)
    const due = await rows<DuePoll>(pool, journal.duePolls(name, wanted, service)).catch((error: unknown) => {
      release(lease)
      throw error
    })
    if (due.length === 0) release(lease)
    for (const job of due)
      this.#polling.run(() => this.#poll(job, stop, cut).finally(() => void release(lease)))
    if (due.length === wanted) return 0
    // Wait for at least a twentieth of `minDelay`. One query then finds several due polls.
    return Math.max(1, Math.min(IDLE_MS, service.minDelayMs / 20), await this.#untilNextPollMs())
  }

  async #untilNextPollMs(): Promise<number> {
    const { pool, journal, name } = this.#parts
    const [next] = await rows<{ inMs: number }>(pool, journal.nextPoll(name))
    return Math.max(0, Math.min(IDLE_MS, Math.ceil(next?.inMs ?? IDLE_MS)))
  }

  async #poll(job: DuePoll, stop: AbortSignal, cut: AbortSignal): Promise<void> {
    try {
      if (job.cancelAsked && (await this.#cancel(job, stop))) return
      const found = await this.#parts.service.poll(job.remote, stop)
      this.#pause.succeeded()
      const { status } = found
      if (found.state === 'pending') {
        const { retryAfterMs: delayMs = 0 } = found
        if (delayMs > job.nextPollInMs)
          await this.#settle(job, 'waiting', { phase: 'waiting', status, delayMs })
        return
      }
      if (found.state === 'failed')
        return await this.#end(job, 'waiting', { phase: 'failed', status, reason: found.reason })
      const mine = this.#storing.free > 0 && !stop.aborted
      // A result that this worker stores needs no ticket: other workers notice if this worker dies or takes too long.
      const ticket = mine ? undefined : ticketId()
      const work = async (): Promise<void> => {
        const applied = await this.#settle(job, 'waiting', { phase: 'storing', status, newTicket: ticket })
        if (applied && mine) await this.#store({ ...job, ticket, failures: 0 }, found.result, cut)
        else this.#bells.store.ring()
      }
      if (mine) this.#storing.run(work)
      else await work()
    } catch (error) {
      await this.#afterFailedPoll(job, stop, error)
    }
  }

  /**
   * Cancels the work at the service, and ends the job. If the client can't cancel work, only ends the job.
   *
   * @returns false if the cancellation failed, for example because the work has ended. The caller then polls the job.
   */
  async #cancel(job: DuePoll, stop: AbortSignal): Promise<boolean> {
    const { service, onError } = this.#parts
    let canCancel: boolean
    try {
      canCancel = await service.cancel(job.remote, stop)
    } catch (error) {
      const { concerns } = pollFailure(error)
      if (stop.aborted || concerns === 'all' || concerns === 'gone') throw error
      onError(error)
      return false
    }
    const end = canCancel ? { reason: CANCELED.atService } : { reason: CANCELED.hereOnly, mayContinue: true }
    await this.#end(job, 'waiting', { phase: 'cancelled', ...end })
    return true
  }

  async #afterFailedPoll(job: DuePoll, stop: AbortSignal, error: unknown): Promise<void> {
    if (stop.aborted) return
    const failure = pollFailure(error)
    if (failure.concerns === 'gone') {
      const end: Change = job.cancelAsked
        ? { phase: 'cancelled', reason: CANCELED.gone }
        : { phase: 'uncertain', reason: failure.reason }
      await this.#end(job, 'waiting', end)
    } else if (this.#pause.afterPoll(failure) === undefined) this.#parts.onError(error)
  }

  /** Stores results that weren't stored right after the poll, for example because the worker died or was too busy. */
  async #takeResults(stop: AbortSignal, cut: AbortSignal): Promise<number> {
    const { pool, journal, worker } = this.#parts
    const room = await this.#storing.room(stop)
    if (this.#isHalted(stop)) return 0
    const claimed = await transaction(pool, async (session) => {
      const claim = (taken: readonly Ticket[]) => journal.claimResults(session, worker(), taken)
      return (await this.#take(session, 'store', room, claim)).jobs
    }).catch((error: unknown) => {
      if (error instanceof Contention) return undefined
      throw error
    })
    if (claimed === undefined) return CONTENDED_MS
    for (const job of claimed) this.#storing.run(() => this.#fetchAndStore(job, stop, cut))
    return claimed.length < room ? IDLE_MS : 0
  }

  async #fetchAndStore(job: ClaimedResult, stop: AbortSignal, cut: AbortSignal): Promise<void> {
    const { service } = this.#parts
    try {
      const found = await service.poll(job.remote, stop)
      this.#pause.succeeded()
      if (found.state === 'succeeded') return await this.#store(job, found.result, cut)
      const { status } = found
      const change: Change =
        found.state === 'pending'
          ? { phase: 'waiting', delayMs: Math.max(found.retryAfterMs ?? 0, service.minDelayMs) }
          : { phase: 'failed', reason: found.reason }
      await this.#settle(job, 'storing', { ...change, status })
    } catch (error) {
      // This attempt doesn't count if its failure pauses the service, or if this worker was stopped.
      const pausedMs = stop.aborted ? 0 : this.#pause.afterPoll(pollFailure(error))
      if (pausedMs === undefined) await this.#notStored(job, error, cut)
      else await this.#putBack(job, { failures: job.failures, delayMs: pausedMs })
    }
  }

  async #store(job: ClaimedResult, result: unknown, cut: AbortSignal): Promise<void> {
    const { service, name } = this.#parts
    const { position: index, remote: id, batchName: batch } = job
    try {
      // The result's name contains the service's name, because two services can use the same batch name and folder.
      const context = { batch, index, name: `${name}-${batch}-${index}`, id, signal: cut }
      const stored = JSON.stringify(await service.store(result, context)) as string | undefined
      await this.#end(job, 'storing', { phase: 'done', stored })
    } catch (error) {
      await this.#notStored(job, error, cut)
    }
  }

  async #notStored(job: ClaimedResult, error: unknown, cut: AbortSignal): Promise<void> {
    this.#parts.onError(error)
    if (cut.aborted) return this.#putBack(job, { failures: job.failures, delayMs: 0 })
    const reason = reasonText(error)
    const failures = job.failures + 1
    if (failures >= STORE_ATTEMPTS) return this.#end(job, 'storing', { phase: 'unstored', reason, failures })
    const delayMs = Math.max(1_000 * 2 ** failures, retryAfterOf(error) ?? 0)
    await this.#putBack(job, { reason, failures, delayMs })
  }

  /** Puts a job back, so that any worker can store its result later. */
  async #putBack(
    job: ClaimedResult,
    next: { readonly reason?: string; readonly failures: number; readonly delayMs: number },
  ): Promise<void> {
    await this.#settle(job, 'storing', { ...next, phase: 'storing' })
    this.#expect('store', next.delayMs)
  }
}
