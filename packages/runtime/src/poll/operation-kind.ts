import { LoopHandle, type OperationHandle } from './operation-handle.ts'
import { PollLoop } from './poll-loop.ts'
import type { OperationExtra, OperationKindOptions } from './poll-settings.ts'
import { checkPollingNames, type PollingOptions, resolvePlan } from './polling-plan.ts'
import { readResumeToken } from './resume-token.ts'

/** What is known of an operation when its handle is made. @public */
export interface HandleStart<Snapshot> {
  /** From the answer to the submission. */
  readonly status?: string | undefined
  /** A whole answer, where there is one already. When it shows the end, nothing is polled. */
  readonly snapshot?: Snapshot | undefined
  /** Carried along and written into the resume token; no secrets. */
  readonly extra?: OperationExtra | undefined
  /** In place of what is set for the kind; what is not given here is taken from there. */
  readonly polling?: PollingOptions | undefined
}

/** Makes handles for operations of one kind. @public */
export interface OperationKind<Snapshot, Result = Snapshot> {
  readonly kind: string
  /** A handle for an operation that was submitted just now: the first poll comes after the first delay. */
  handle(id: string, start?: HandleStart<Snapshot>): OperationHandle<Snapshot, Result>
  /**
   * A handle for an operation that was submitted some time ago, known by its id or by what another call told of it:
   * the first poll comes at once.
   */
  attach(id: string, start?: HandleStart<Snapshot>): OperationHandle<Snapshot, Result>
  /**
   * A handle from a resume token: the first poll comes at once.
   *
   * @throws OptionsError when the token is not whole, is of another kind, or was made by a newer version.
   */
  resume(token: string, start?: Pick<HandleStart<Snapshot>, 'polling'>): OperationHandle<Snapshot, Result>
}

/**
 * Describes a kind of operation once, so that a handle costs little more than its id.
 *
 * @throws OptionsError for delays that make no sense, and for names that are not options.
 * @public
 */
export function defineOperationKind<Snapshot, Result = Snapshot>(
  options: OperationKindOptions<Snapshot, Result>,
): OperationKind<Snapshot, Result> {
  const { kind, scheduler, waiter } = options
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
    const loop = new PollLoop(settings, scheduler, plan, id, start.extra, firstDelayMs ?? plan.firstDelayMs)
    loop.adopt(start.status, start.snapshot)
    return new LoopHandle(loop)
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
