import type { OperationFailedError } from '../core/errors.ts'
import type { Observe } from '../core/events.ts'
import type { WaiterDescriptor } from '../core/operation.ts'
import type { PollScheduler } from './poll-scheduler.ts'
import type { PollingOptions } from './polling-plan.ts'

/** The answer to a poll. A client's exchange has this shape. @public */
export interface PollAnswer<Snapshot> {
  readonly data: Snapshot
  /** How long the service asks to wait before the next poll. Where it is not given, it is read from `headers`. */
  readonly retryAfterMs?: number | undefined
  readonly headers?: { get(name: string): string | null } | undefined
  /** Removes the secrets of the request from a text that is to be shown. */
  scrub?(text: string): string
}

/** A failure as it is handed to the service's mapping. @public */
export interface FailedOperation<Snapshot> {
  readonly id: string
  readonly status: string
  readonly snapshot: Snapshot
  /** The operationId of the poll. */
  readonly operation: string | undefined
}

/** Fields that a token carries besides kind and id. @public */
export type OperationExtra = Readonly<Record<string, unknown>>

/** What all operations of one kind have in common. @public */
export interface OperationKindOptions<Snapshot, Result = Snapshot> {
  /** Names the kind in resume tokens, such as `service.job`. It must never change. */
  readonly kind: string
  /** Begins the sentences of errors. Default: `Operation`. */
  readonly label?: string | undefined
  /** The operationId of the poll, for errors and events. */
  readonly operation?: string | undefined
  /** From the descriptor of the operation that is polled. */
  readonly waiter: WaiterDescriptor
  readonly scheduler: PollScheduler
  /**
   * Asks the service once. It should not retry by itself: the next poll is the retry. A client's exchange can be
   * handed back as it is.
   */
  readonly poll: (
    id: string,
    signal: AbortSignal,
    extra: OperationExtra | undefined,
  ) => Promise<PollAnswer<Snapshot>>
  /** What the caller of the client set for all operations of this kind. */
  readonly polling?: PollingOptions | undefined
  /** Makes what `wait` gives, once per handle. Default: the last snapshot. What it throws ends the waits. */
  readonly result?: ((snapshot: Snapshot, id: string) => Result) | undefined
  /** Makes what `wait` throws, once per handle. Default: an `OperationFailedError` without a reason. */
  readonly failure?: ((failed: FailedOperation<Snapshot>) => OperationFailedError) | undefined
  /**
   * Whether the wait goes on after a poll that failed in this way. Default, and where it answers `undefined`: it does
   * after connection errors, time-outs, 408, 425, 429, 500 and above, and after two unreadable answers in a row.
   */
  readonly survives?: ((error: unknown) => boolean | undefined) | undefined
  /** Whether a snapshot of the same status is a change for iteration. Default: it is when its JSON differs. */
  readonly changed?: ((before: Snapshot, after: Snapshot) => boolean) | undefined
  /** Told of a status that neither contract nor caller names, at every poll that finds one. It counts as pending. */
  readonly onUnknownStatus?: ((status: string, id: string) => void) | undefined
  /** Told of every poll. */
  readonly observe?: Observe | undefined
}

/** The options with their defaults. */
export interface LoopSettings<Snapshot, Result> extends OperationKindOptions<Snapshot, Result> {
  readonly label: string
}
