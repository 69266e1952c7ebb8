import { finalOutcome, type OperationExtra, type OperationSettings, statusOf } from './operation-options.ts'
import type { PollScheduler } from './poll-scheduler.ts'
import type { OperationState, PollingPlan } from './polling-plan.ts'

/** The state of an operation, whether or not it is being polled. */
export class TrackedOperation<Snapshot, Result> {
  readonly settings: OperationSettings<Snapshot, Result>
  readonly scheduler: PollScheduler
  readonly plan: PollingPlan
  readonly id: string
  readonly extra: OperationExtra | undefined
  /** When the first poll is due, on the monotonic clock. */
  readonly firstPollAt: number
  status: string | undefined = undefined
  snapshot: Snapshot | undefined = undefined
  state: OperationState = 'pending'
  /** The result, or the error, once the operation has ended. */
  outcome: unknown = undefined
  /** How many changes polls have found. */
  version = 0
  polls = 0
  lastError: unknown = undefined
  /** Whether a hint came that no poll has covered. */
  woken = false
  /** Polls it; created by the first wait. */
  loop: { wake(): void } | undefined = undefined

  constructor(
    settings: OperationSettings<Snapshot, Result>,
    plan: PollingPlan,
    id: string,
    start: { readonly extra: OperationExtra | undefined; readonly firstDelayMs: number },
  ) {
    this.settings = settings
    this.scheduler = settings.scheduler
    this.plan = plan
    this.id = id
    this.extra = start.extra
    this.firstPollAt = this.scheduler.now() + start.firstDelayMs
  }

  wake(): void {
    this.woken = true
    this.loop?.wake()
  }

  /**
   * Starts from a status or snapshot that the caller already has, such as from the submission. Only a full snapshot can
   * show that the operation has ended.
   */
  adopt(status: string | undefined, snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) this.status = status
    else this.store(snapshot, true)
  }

  /**
   * Stores a snapshot of the operation, and what it means.
   *
   * @throws ContractDriftError if it has no status, and what the `result` or `failure` option throws.
   */
  store(snapshot: Snapshot, isNew: boolean): void {
    const { settings, id } = this
    const status = statusOf(settings, id, snapshot)
    // Unknown statuses count as pending.
    const state = this.plan.states.get(status) ?? 'pending'
    const outcome = state === 'pending' ? undefined : finalOutcome(settings, state, { id, status, snapshot })
    if (isNew) this.version += 1
    this.status = status
    this.snapshot = snapshot
    this.state = state
    this.outcome = outcome
  }
}
