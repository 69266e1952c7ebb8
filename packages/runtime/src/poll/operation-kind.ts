import { LoopHandle, type OperationHandle, readResumeToken } from './operation-handle.ts'
import { type OperationExtra, type OperationKindOptions, TrackedOperation } from './operation.ts'
import { checkPollingNames, type PollingOptions, resolvePlan } from './polling-plan.ts'

/** The known state of an operation when its handle is created. @public */
export interface HandleStart<Snapshot> {
  /** The status in the response to the submission. */
  readonly status?: string | undefined
  /** A full snapshot, if the caller has one. If it shows that the operation has ended, nothing is polled. */
  readonly snapshot?: Snapshot | undefined
  /** Kept with the handle. Don't put secrets here: it is stored in the resume token. */
  readonly extra?: OperationExtra | undefined
  /** Overrides individual polling options of this kind of operation. */
  readonly polling?: PollingOptions | undefined
}

/** Creates handles for operations of one kind. @public */
export interface OperationKind<Snapshot, Result = Snapshot> {
  readonly kind: string
  /** Creates a handle for an operation that was just submitted: the first poll comes after the first delay. */
  handle(id: string, start?: HandleStart<Snapshot>): OperationHandle<Snapshot, Result>
  /** Creates a handle for an operation that was submitted some time ago: the first poll comes at once. */
  attach(id: string, start?: HandleStart<Snapshot>): OperationHandle<Snapshot, Result>
  /**
   * Creates a handle from a resume token: the first poll comes at once.
   *
   * @throws OptionsError if it isn't a resume token, was changed, is of another kind, or was made by a newer version.
   */
  resume(token: string, start?: Pick<HandleStart<Snapshot>, 'polling'>): OperationHandle<Snapshot, Result>
}

/**
 * Describes a kind of operation once, so that each handle holds little more than its id.
 *
 * @throws OptionsError for unusable delays and unknown option names.
 * @public
 */
export function defineOperationKind<Snapshot, Result = Snapshot>(
  options: OperationKindOptions<Snapshot, Result>,
): OperationKind<Snapshot, Result> {
  const { kind, waiter } = options
  const settings = { ...options, label: options.label ?? 'Operation' }
  checkPollingNames(options.polling, 'polling')
  const shared = resolvePlan(waiter, options.polling)

  function make(
    id: string,
    start: HandleStart<Snapshot>,
    firstDelayMs?: number,
  ): OperationHandle<Snapshot, Result> {
    checkPollingNames(start.polling, 'polling')
    const plan =
      start.polling === undefined ? shared : resolvePlan(waiter, mergeOptions(options.polling, start.polling))
    const { extra } = start
    const first = { extra, firstDelayMs: firstDelayMs ?? plan.firstDelayMs }
    const tracked = new TrackedOperation(settings, plan, id, first)
    tracked.adopt(start.status, start.snapshot)
    return new LoopHandle(tracked)
  }

  return {
    kind,
    handle: (id, start = {}) => make(id, start),
    attach: (id, start = {}) => make(id, start, 0),
    resume(token, start = {}) {
      const { id, extra } = readResumeToken(token, kind)
      return make(id, { ...start, extra }, 0)
    },
  }
}

function mergeOptions(kind: PollingOptions | undefined, own: PollingOptions): PollingOptions {
  const statuses = (name: 'pending' | 'success' | 'failure') => [
    ...(kind?.statuses?.[name] ?? []).filter((status) => !mentions(own, status)),
    ...(own.statuses?.[name] ?? []),
  ]
  return {
    ...kind,
    ...own,
    statuses: { pending: statuses('pending'), success: statuses('success'), failure: statuses('failure') },
  }
}

function mentions({ statuses = {} }: PollingOptions, status: string): boolean {
  return Object.values(statuses).some(
    (list: readonly string[] | undefined) => list?.includes(status) === true,
  )
}
