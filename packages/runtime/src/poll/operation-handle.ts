import {
  checkOptionNames,
  type Duration,
  functionOption,
  type OptionNames,
  parseDuration,
  signalOption,
} from '../core/option-checks.ts'
import { ChangeIterator } from './change-iterator.ts'
import type { PollLoop } from './poll-loop.ts'
import { type OperationUpdate, PollWaiter } from './poll-waiter.ts'
import { writeResumeToken } from './resume-token.ts'

/** How long, and under whose control, a wait lasts. @public */
export interface ChangeOptions {
  /** The longest time that it lasts, as milliseconds or `'5m'`. Default: the limit that the contract recommends. */
  readonly deadline?: Duration
  /** Aborting it ends the wait at once, with the signal's own reason. */
  readonly signal?: AbortSignal
}

/** Options of {@link OperationHandle.wait}. @public */
export interface WaitOptions<Snapshot> extends ChangeOptions {
  /** Told after every poll. What it throws ends this wait. */
  readonly onUpdate?: (update: OperationUpdate<Snapshot>) => void
}

const CHANGE_OPTIONS: OptionNames<ChangeOptions> = { deadline: true, signal: true }
const WAIT_OPTIONS: OptionNames<WaitOptions<unknown>> = { ...CHANGE_OPTIONS, onUpdate: true }

/** The statuses that a contract lists for a snapshot, for completion in editors; a service may send others. @public */
export type StatusOf<Snapshot> = Snapshot extends { readonly status: infer Status extends string }
  ? Status | (string & {})
  : string

/**
 * An operation that goes on at the service. It is not thenable: awaiting a handle gives the handle.
 *
 * Nothing is polled until somebody waits. All who wait share the same polls, and polling stops when the last of
 * them has gone.
 *
 * @public
 */
export interface OperationHandle<Snapshot, Result = Snapshot> extends AsyncIterable<
  OperationUpdate<Snapshot>
> {
  /** The kind of operation, such as `service.job`. */
  readonly kind: string
  /** The service's id of the operation. */
  readonly id: string
  /** The last status that was seen. */
  readonly status: StatusOf<Snapshot> | undefined
  /** The last whole answer that was seen. */
  readonly snapshot: Snapshot | undefined
  /** Whether the operation was seen to have ended, well or badly. */
  readonly ended: boolean
  /** What was handed over besides the id; it travels in the resume token. */
  readonly extra: Readonly<Record<string, unknown>> | undefined
  /**
   * Waits for the end of the operation and gives its result.
   *
   * @throws OperationFailedError when the service reports that the operation failed.
   * @throws OptionsError for options that are not known or cannot be used.
   * @throws DeadlineError, exactly when the time is over. It says nothing about the operation, which goes on.
   * @throws the error of a poll that cannot get better (401, 403, 404, an invalid request). Others are survived.
   * @throws the signal's own reason on abort.
   */
  wait(options?: WaitOptions<Snapshot>): Promise<Result>
  /**
   * Iterates over the changes that polls find. Ends when the operation has succeeded; throws what {@link wait} would
   * throw otherwise, after the last change was given. It polls only while the next change is asked for.
   */
  changes(options?: ChangeOptions): AsyncIterableIterator<OperationUpdate<Snapshot>>
  /**
   * Polls at once if somebody waits, or else when somebody next does. For webhooks and other hints that it changed:
   * they are not believed, only what the poll finds counts.
   */
  wake(): void
  /** Text by which the operation can be found again, in another process and after an upgrade. It holds no secret. */
  resumeToken(): string
}

/** A handle on a {@link PollLoop}. */
export class LoopHandle<Snapshot, Result> implements OperationHandle<Snapshot, Result> {
  readonly #loop: PollLoop<Snapshot, Result>

  constructor(loop: PollLoop<Snapshot, Result>) {
    this.#loop = loop
  }

  get kind(): string {
    return this.#loop.kind
  }

  get id(): string {
    return this.#loop.id
  }

  get status(): StatusOf<Snapshot> | undefined {
    return this.#loop.status as StatusOf<Snapshot> | undefined
  }

  get snapshot(): Snapshot | undefined {
    return this.#loop.snapshot
  }

  get ended(): boolean {
    return this.#loop.state !== 'pending'
  }

  get extra(): Readonly<Record<string, unknown>> | undefined {
    return this.#loop.extra
  }

  wait(options: WaitOptions<Snapshot> = {}): Promise<Result> {
    // Kept free of closures: thousands of waits are under way at once.
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    try {
      this.#begin(options, resolve, reject)
    } catch (error) {
      reject(error)
    }
    return promise
  }

  #begin(
    options: WaitOptions<Snapshot>,
    resolve: (result: Result) => void,
    reject: (error: unknown) => void,
  ): void {
    checkOptionNames(options, WAIT_OPTIONS, 'options')
    const { deadline, signal, onUpdate } = options
    functionOption(onUpdate, 'onUpdate')
    const loop = this.#loop
    const limitMs = deadline === undefined ? loop.plan.limitMs : parseDuration(deadline)
    signalOption(signal)?.throwIfAborted()
    if (loop.state === 'success') return resolve(loop.outcome as Result)
    if (loop.state === 'failure') return reject(loop.outcome)
    loop.scheduler.assertOpen()
    const startedAt = loop.scheduler.now()
    const terms = { seenVersion: undefined, startedAt, limitMs, pollsBefore: loop.polls, signal, onUpdate }
    loop.join(new PollWaiter(loop, terms, resolve, reject))
  }

  changes(options: ChangeOptions = {}): AsyncIterableIterator<OperationUpdate<Snapshot>> {
    checkOptionNames(options, CHANGE_OPTIONS, 'options')
    signalOption(options.signal)
    return new ChangeIterator(this.#loop, options)
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<OperationUpdate<Snapshot>> {
    return this.changes()
  }

  wake(): void {
    this.#loop.wake()
  }

  resumeToken(): string {
    const { kind, id, extra } = this.#loop
    return writeResumeToken(extra === undefined ? { kind, id } : { kind, id, extra })
  }

  /** What a log may hold of it; the snapshot is left out, since it can be anything. */
  toJSON(): Record<string, unknown> {
    return { kind: this.kind, id: this.id, status: this.status, ended: this.ended }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `OperationHandle ${JSON.stringify(this)}`
  }
}
