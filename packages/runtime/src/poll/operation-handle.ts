import { load } from '../core/async.ts'
import { OptionsError } from '../core/errors.ts'
import { checkOptionNames, parseDuration, signalOption } from '../core/option-checks.ts'
import {
  CHANGE_OPTIONS,
  type ChangeOptions,
  checkPollingNames,
  type OperationUpdate,
  type WaitOptions,
  type OperationExtra,
  type OperationKindOptions,
  type PollingOptions,
  toPollSchedule,
  TrackedOperation,
} from './operation.ts'
import type * as PollEngine from './poll-engine.ts'

/** The statuses that a contract lists. Editors suggest these, but any other string is allowed too. @public */
export type StatusOf<Snapshot> = Snapshot extends { readonly status: infer Status extends string }
  ? Status | (string & {})
  : string

/**
 * A handle on an operation that runs on the service. The handle is not thenable: awaiting it returns the handle itself.
 *
 * Polling begins with the first wait and stops when no wait is pending. All waits share the same polls.
 *
 * @public
 */
export interface OperationHandle<Snapshot, Result = Snapshot> extends AsyncIterable<
  OperationUpdate<Snapshot>
> {
  /** The kind of operation, such as `service.job`. */
  readonly kind: string
  /** The service's id for the operation. */
  readonly id: string
  /** The most recent status. */
  readonly status: StatusOf<Snapshot> | undefined
  /** The full body of the most recent successful poll. */
  readonly snapshot: Snapshot | undefined
  /** Whether the operation is known to have ended, with success or failure. */
  readonly ended: boolean
  /** The `extra` data with which the handle was created. It is part of the resume token. */
  readonly extra: Readonly<Record<string, unknown>> | undefined
  /**
   * Waits for the end of the operation and returns its result.
   *
   * @throws OperationFailedError if the service reports that the operation failed.
   * @throws OptionsError for unknown or unusable options.
   * @throws DeadlineError exactly at the deadline. The operation isn't affected.
   * @throws The error of a poll, if another poll would fail too (401, 403, 404, an invalid request). Transient errors
   *   are retried.
   * @throws The signal's own reason on abort.
   */
  wait(options?: WaitOptions<Snapshot>): Promise<Result>
  /**
   * Yields the known snapshot, if the handle has one, and then each change that a poll finds. If several changes are
   * found between two calls of `next()`, only the latest one is yielded. The iteration polls only while `next()` is
   * pending.
   *
   * The iteration ends when the operation has succeeded. If the operation fails, the iteration yields the last change
   * and then throws the error that {@link wait} would throw.
   */
  changes(options?: ChangeOptions): AsyncIterableIterator<OperationUpdate<Snapshot>>
  /**
   * Polls once, without the usual delay. Call this method if you schedule polls yourself, for example with a table of
   * jobs in a database. The client still respects `Retry-After`, and leaves at least `minDelayMs` between polls that
   * `poll` or `wake` requested. If the operation is already known to have ended, nothing is sent.
   *
   * Afterward, check {@link OperationHandle.ended}. If it is true, {@link wait} returns the result, or throws the
   * error, without another poll.
   *
   * @throws OptionsError for unknown or unusable options.
   * @throws The error of the poll, even if it is transient. Its `retryAfterMs` is how long the service
   *   asks the client to wait.
   * @throws DeadlineError exactly at the deadline.
   * @throws The signal's own reason on abort.
   */
  poll(options?: ChangeOptions): Promise<OperationUpdate<Snapshot>>
  /**
   * Makes the next poll happen without the usual delay. Call `wake` when a webhook or another hint says that the
   * operation changed. The poll then shows whether it changed.
   *
   * The client still respects `Retry-After`, and leaves at least `minDelayMs` between polls that `poll` or `wake`
   * requested. If no caller is waiting, `wake` affects the first poll of the next wait.
   */
  wake(): void
  /**
   * Returns a string with which another process, or a later version of this package, can find the operation again. The
   * package writes no secrets into this string.
   */
  resumeToken(): string
}

let engine: typeof PollEngine | undefined

/**
 * Loads the polling code. Call this before a submission, so that a failure to load is noticed before work starts.
 *
 * @throws ConnectionError if the code can't be loaded.
 * @throws The signal's own reason on abort.
 * @public
 */
export async function loadPolling(options: {
  readonly operation?: string | undefined
  readonly signal?: AbortSignal | undefined
}): Promise<void> {
  engine ??= await load(import('./poll-engine.ts'), options)
}

async function onceLoaded<Snapshot, Result, Value>(
  tracked: TrackedOperation<Snapshot, Result>,
  signal: AbortSignal | undefined,
  use: (engine: typeof PollEngine) => Value | Promise<Value>,
): Promise<Value> {
  const { starting } = tracked.scheduler
  starting.set(tracked, (starting.get(tracked) ?? 0) + 1)
  try {
    await loadPolling({ operation: tracked.settings.operation, signal })
  } finally {
    const others = (starting.get(tracked) ?? 1) - 1
    if (others > 0) starting.set(tracked, others)
    else starting.delete(tracked)
  }
  return use(engine!)
}

export class LoopHandle<Snapshot, Result> implements OperationHandle<Snapshot, Result> {
  readonly #tracked: TrackedOperation<Snapshot, Result>

  constructor(tracked: TrackedOperation<Snapshot, Result>) {
    this.#tracked = tracked
  }

  get kind(): string {
    return this.#tracked.settings.kind
  }

  get id(): string {
    return this.#tracked.id
  }

  get status(): StatusOf<Snapshot> | undefined {
    return this.#tracked.status as StatusOf<Snapshot> | undefined
  }

  get snapshot(): Snapshot | undefined {
    return this.#tracked.snapshot
  }

  get ended(): boolean {
    return this.#tracked.state !== 'pending'
  }

  get extra(): Readonly<Record<string, unknown>> | undefined {
    return this.#tracked.extra
  }

  wait(options: WaitOptions<Snapshot> = {}): Promise<Result> {
    const tracked = this.#tracked
    const startedAt = tracked.scheduler.now()
    return engine === undefined
      ? onceLoaded(tracked, options?.signal, ({ waitFor }) => waitFor(tracked, options, startedAt))
      : engine.waitFor(tracked, options, startedAt)
  }

  changes(options: ChangeOptions = {}): AsyncIterableIterator<OperationUpdate<Snapshot>> {
    checkOptionNames(options, CHANGE_OPTIONS, 'options')
    const tracked = this.#tracked
    const { deadline } = options
    const terms = {
      limitMs: deadline === undefined ? tracked.schedule.limitMs : parseDuration(deadline),
      signal: signalOption(options.signal),
      startedAt: tracked.scheduler.now(),
      pollsBefore: tracked.polls,
    }
    if (engine !== undefined) return new engine.ChangeIterator(tracked, terms)
    let opened: Promise<AsyncIterableIterator<OperationUpdate<Snapshot>>> | undefined
    const open = () =>
      (opened ??= onceLoaded(
        tracked,
        terms.signal,
        ({ ChangeIterator }) => new ChangeIterator(tracked, terms),
      ))
    return {
      next: () => open().then((changes) => changes.next()),
      return: () => open().then((changes) => changes.return!()),
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<OperationUpdate<Snapshot>> {
    return this.changes()
  }

  poll(options: ChangeOptions = {}): Promise<OperationUpdate<Snapshot>> {
    const tracked = this.#tracked
    const startedAt = tracked.scheduler.now()
    return engine === undefined
      ? onceLoaded(tracked, options?.signal, ({ pollOnce }) => pollOnce(tracked, options, startedAt))
      : engine.pollOnce(tracked, options, startedAt)
  }

  wake(): void {
    this.#tracked.wake()
  }

  resumeToken(): string {
    const { id, extra } = this.#tracked
    return writeResumeToken({ kind: this.kind, id, ...(extra && { extra }) })
  }

  /** Returns the fields that are safe to log. The snapshot is omitted, because it can contain sensitive data. */
  toJSON(): Record<string, unknown> {
    return { kind: this.kind, id: this.id, status: this.status, ended: this.ended }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `OperationHandle ${JSON.stringify(this)}`
  }
}

/** The content of a resume token. @public */
export interface ResumeTokenContent {
  /** The kind of the operation, such as `service.job`. */
  readonly kind: string
  /** The service's id for the operation. */
  readonly id: string
  /**
   * Anything else that is needed to find the operation again. Unknown fields are kept, so that an older version of
   * the package doesn't lose the fields of a newer version.
   */
  readonly extra?: Readonly<Record<string, unknown>>
}

const VERSION = 1
const FORM = /^cr([1-9]\d{0,5})\.([A-Za-z0-9_-]+)\.([0-9a-z]+)$/

/**
 * Returns a resume token. It consists of letters, digits, `-`, `_` and `.`, so it fits into a URL, a file name or a
 * database column. The token identifies the operation and is useless without a credential for the service. `extra`
 * must not contain secrets.
 *
 * @public
 */
export function writeResumeToken(content: ResumeTokenContent): string {
  const json = JSON.stringify({ ...content.extra, kind: content.kind, id: content.id })
  const payload = toBase64Url(new TextEncoder().encode(json))
  return `cr${VERSION}.${payload}.${checksum(payload)}`
}

/**
 * Reads a resume token.
 *
 * @param kind The expected kind of operation.
 * @throws OptionsError if `token` isn't a resume token, was changed, is of another kind, or is from a newer version.
 * @public
 */
export function readResumeToken(token: string, kind: string): ResumeTokenContent {
  const [, version, payload, check] = (typeof token === 'string' && FORM.exec(token)) || []
  if (payload === undefined) throw broken()
  if (Number(version) > VERSION) {
    throw new OptionsError(
      'token',
      `The token has format ${Number(version)}, and this version of @concord/runtime reads formats up to ${VERSION}.`,
      'Upgrade @concord/runtime, or resume the operation with the version that made the token.',
    )
  }
  const content = check === checksum(payload) ? readPayload(payload) : undefined
  if (content === undefined) throw broken()
  const { kind: ownKind, id, ...extra } = content
  if (typeof ownKind !== 'string' || typeof id !== 'string' || id === '') throw broken()
  if (ownKind !== kind) {
    throw new OptionsError(
      'token',
      `The token belongs to ${/^[\w.-]{1,60}$/.test(ownKind) ? `'${ownKind}'` : 'another kind of operation'}, not to '${kind}'.`,
      'Pass the token to the `resume` method for its own kind of operation.',
    )
  }
  return Object.keys(extra).length === 0 ? { kind, id } : { kind, id, extra }
}

function broken(): OptionsError {
  return new OptionsError(
    'token',
    'must be a complete, unchanged resume token.',
    'Pass the string that `resumeToken()` returned, unchanged.',
  )
}

function readPayload(payload: string): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(fromBase64Url(payload))
    // The cast is safe: a value that isn't an object lacks `kind` and `id`, which are checked next.
    return (JSON.parse(text) as Record<string, unknown> | null) ?? undefined
  } catch {
    return undefined
  }
}

/** Returns a 32-bit FNV-1a hash. It detects a truncated or mistyped token, but not a forged one. */
function checksum(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(36)
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64Url(text: string): Uint8Array {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** The known state of an operation when its handle is created. @public */
export interface HandleStart<Snapshot> {
  /** The status in the response to the submission. */
  readonly status?: string | undefined
  /** A full snapshot, if the caller has one. If it shows that the operation has ended, the client doesn't poll. */
  readonly snapshot?: Snapshot | undefined
  /** Data to keep with the handle. It becomes part of the resume token, so don't put secrets here. */
  readonly extra?: OperationExtra | undefined
  /** Polling options for this handle, which take precedence over those of its kind. */
  readonly polling?: PollingOptions | undefined
}

/** Creates handles for operations of one kind. @public */
export interface OperationKind<Snapshot, Result = Snapshot> {
  readonly kind: string
  /** Creates a handle for an operation that was just submitted: the first poll comes after `firstDelayMs`. */
  handle(id: string, start?: HandleStart<Snapshot>): OperationHandle<Snapshot, Result>
  /** Creates a handle for an operation that was submitted some time ago: the first poll comes at once. */
  attach(id: string, start?: HandleStart<Snapshot>): OperationHandle<Snapshot, Result>
  /**
   * Creates a handle from a resume token: the first poll comes at once.
   *
   * @throws OptionsError if `token` isn't a resume token, was changed, is of another kind, or is from a newer version.
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
  const shared = toPollSchedule(waiter, options.polling)

  function make(
    id: string,
    start: HandleStart<Snapshot>,
    firstDelayMs?: number,
  ): OperationHandle<Snapshot, Result> {
    checkPollingNames(start.polling, 'polling')
    const schedule =
      start.polling === undefined
        ? shared
        : toPollSchedule(waiter, mergeOptions(options.polling, start.polling))
    const { extra } = start
    const first = { extra, firstDelayMs: firstDelayMs ?? schedule.firstDelayMs }
    const tracked = new TrackedOperation(settings, schedule, id, first)
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
