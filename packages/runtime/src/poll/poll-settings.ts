import type { OperationFailedError } from '../core/errors.ts'
import type { Observe } from '../core/events.ts'

/** The answer to a poll. A client's exchange has this shape. @public */
export interface PollAnswer<Snapshot> {
  readonly data: Snapshot
  /** How long the service asks to wait before the next poll. Where it is not given, it is read from `headers`. */
  readonly retryAfterMs?: number | undefined
  readonly headers?: { get(name: string): string | null } | undefined
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

/** What all operations of one kind share. */
export interface LoopSettings<Snapshot, Result> {
  readonly kind: string
  readonly label: string
  readonly operation: string | undefined
  readonly statusPointer: string
  readonly poll: (
    id: string,
    signal: AbortSignal,
    extra: OperationExtra | undefined,
  ) => Promise<PollAnswer<Snapshot>>
  readonly statusOf: ((snapshot: Snapshot) => unknown) | undefined
  readonly result: ((snapshot: Snapshot, id: string) => Result) | undefined
  readonly failure: ((failed: FailedOperation<Snapshot>) => OperationFailedError) | undefined
  readonly survives: ((error: unknown) => boolean | undefined) | undefined
  readonly changed: ((before: Snapshot, after: Snapshot) => boolean) | undefined
  readonly onUnknownStatus: ((status: string, id: string) => void) | undefined
  readonly observe: Observe | undefined
}
