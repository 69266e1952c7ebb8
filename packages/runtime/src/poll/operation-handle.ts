import { OptionsError } from '../core/errors.ts'
import {
  checkOptionNames,
  type Duration,
  functionOption,
  type OptionNames,
  parseDuration,
  signalOption,
} from '../core/option-checks.ts'
import type { PollLoop } from './poll-loop.ts'
import { type OperationUpdate, PollWaiter } from './poll-waiter.ts'

/** How long a wait may last, and what ends it early. @public */
export interface ChangeOptions {
  /** The time limit, as milliseconds or `'5m'`. Default: the limit that the contract recommends. */
  readonly deadline?: Duration
  /** Aborting it ends the wait at once, with the signal's own reason. */
  readonly signal?: AbortSignal
}

const CHANGE_OPTIONS: OptionNames<ChangeOptions> = { deadline: true, signal: true }

/** Options of {@link OperationHandle.wait}. @public */
export interface WaitOptions<Snapshot> extends ChangeOptions {
  /** Called after every poll. If it throws, this wait ends with its error. */
  readonly onUpdate?: (update: OperationUpdate<Snapshot>) => void
}

const WAIT_OPTIONS: OptionNames<WaitOptions<unknown>> = { ...CHANGE_OPTIONS, onUpdate: true }

/** The statuses that a contract lists, typed so that editors can complete them; a service may send others. @public */
export type StatusOf<Snapshot> = Snapshot extends { readonly status: infer Status extends string }
  ? Status | (string & {})
  : string

/**
 * An operation that runs on the service. It is not thenable: awaiting a handle returns the handle.
 *
 * Polling begins when the first wait does, and ends with the last one. All waits share the same polls.
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
  /** Data that was passed along with the id. It is part of the resume token. */
  readonly extra: Readonly<Record<string, unknown>> | undefined
  /**
   * Waits for the end of the operation and returns its result.
   *
   * @throws OperationFailedError if the service reports that the operation failed.
   * @throws OptionsError for unknown or unusable options.
   * @throws DeadlineError exactly at the deadline. It says nothing about the operation, which continues.
   * @throws The error of a poll that would fail again (401, 403, 404, an invalid request). Transient errors are retried.
   * @throws The signal's own reason on abort.
   */
  wait(options?: WaitOptions<Snapshot>): Promise<Result>
  /**
   * Iterates over the changes that polls find. The iteration ends when the operation has succeeded. If the operation fails,
   * it yields the last change and then throws the error that {@link wait} would throw. It polls only while `next()` is
   * pending.
   */
  changes(options?: ChangeOptions): AsyncIterableIterator<OperationUpdate<Snapshot>>
  /**
   * Polls once: now, or as soon as the shortest delay and the `Retry-After` of the previous poll allow. Use it to schedule polls
   * yourself, for example from a database. Afterward, {@link OperationHandle.ended} says whether the operation has ended, and
   * {@link wait} returns its outcome without another poll. If it was already known to have ended, nothing is sent.
   *
   * @throws OptionsError for unknown or unusable options.
   * @throws The error of the poll, also a transient one. Its `retryAfterMs` is how long the service asks to wait.
   * @throws DeadlineError exactly at the deadline.
   * @throws The signal's own reason on abort.
   */
  poll(options?: ChangeOptions): Promise<OperationUpdate<Snapshot>>
  /**
   * Polls at once if a caller is waiting, otherwise as soon as one does. Call it for webhooks and other hints that the
   * operation changed. The hint itself isn't trusted; the poll decides.
   */
  wake(): void
  /**
   * Returns a string with which another process, or a later version of this package, can find the operation again. The
   * package writes no secrets into it.
   */
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
    // No closures here: there can be thousands of waits at once.
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

  async poll(options: ChangeOptions = {}): Promise<OperationUpdate<Snapshot>> {
    checkOptionNames(options, CHANGE_OPTIONS, 'options')
    const { deadline, signal } = options
    const loop = this.#loop
    const limitMs = deadline === undefined ? loop.plan.limitMs : parseDuration(deadline)
    signalOption(signal)?.throwIfAborted()
    const startedAt = loop.scheduler.now()
    const pollsBefore = loop.polls
    if (loop.state === 'pending') {
      loop.scheduler.assertOpen()
      loop.wake()
      await new Promise<void>((resolve, reject) => {
        // Every version is newer than this one, so the next poll ends the wait, whatever it finds.
        const terms = { seenVersion: -1, startedAt, limitMs, pollsBefore, signal, onUpdate: undefined }
        loop.join(new PollWaiter(loop, terms, () => resolve(), reject))
      })
      if (loop.lastError !== undefined) throw loop.lastError
    }
    return loop.describe(startedAt, pollsBefore)
  }

  wake(): void {
    this.#loop.wake()
  }

  resumeToken(): string {
    const { kind, id, extra } = this.#loop
    return writeResumeToken({ kind, id, ...(extra && { extra }) })
  }

  /** Returns the parts that a log may show. The snapshot is left out, since it can contain anything. */
  toJSON(): Record<string, unknown> {
    return { kind: this.kind, id: this.id, status: this.status, ended: this.ended }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `OperationHandle ${JSON.stringify(this)}`
  }
}

/**
 * Yields the changes of an operation one by one. Each `next()` is a wait of its own, and no resources are held between
 * calls, so an abandoned iterator leaks nothing.
 */
class ChangeIterator<Snapshot, Result> implements AsyncIterableIterator<OperationUpdate<Snapshot>> {
  readonly #loop: PollLoop<Snapshot, Result>
  readonly #limitMs: number
  readonly #signal: AbortSignal | undefined
  readonly #startedAt: number
  readonly #pollsBefore: number
  #seenVersion = 0
  #finished = false
  #waiter: PollWaiter<Snapshot, Result> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(loop: PollLoop<Snapshot, Result>, { deadline, signal }: ChangeOptions) {
    this.#loop = loop
    this.#limitMs = deadline === undefined ? loop.plan.limitMs : parseDuration(deadline)
    this.#signal = signal
    this.#startedAt = loop.scheduler.now()
    this.#pollsBefore = loop.polls
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Overlapping calls resolve in the order in which they were made. */
  next(): Promise<IteratorResult<OperationUpdate<Snapshot>>> {
    const step = this.#turn.then(() => this.#step())
    this.#turn = step.catch(() => undefined)
    return step
  }

  /** Ends the iteration, including a `next()` that is still pending. */
  return(): Promise<IteratorResult<OperationUpdate<Snapshot>>> {
    this.#finished = true
    this.#waiter?.finish()
    return Promise.resolve({ done: true, value: undefined })
  }

  async #step(): Promise<IteratorResult<OperationUpdate<Snapshot>>> {
    if (this.#finished) return { done: true, value: undefined }
    const loop = this.#loop
    try {
      this.#signal?.throwIfAborted()
      if (loop.version === this.#seenVersion && loop.state === 'pending') await this.#wait()
    } catch (error) {
      this.#finished = true
      throw error
    }
    // `return()` may have been called during the wait.
    if (this.#finished as boolean) return { done: true, value: undefined }
    if (loop.version === this.#seenVersion) {
      this.#finished = true
      if (loop.state === 'failure') throw loop.outcome
      return { done: true, value: undefined }
    }
    this.#seenVersion = loop.version
    return { done: false, value: loop.describe(this.#startedAt, this.#pollsBefore) }
  }

  #wait(): Promise<void> {
    const loop = this.#loop
    return new Promise((resolve, reject) => {
      loop.scheduler.assertOpen()
      this.#waiter = new PollWaiter(
        loop,
        {
          seenVersion: this.#seenVersion,
          startedAt: this.#startedAt,
          limitMs: this.#limitMs,
          pollsBefore: this.#pollsBefore,
          signal: this.#signal,
          onUpdate: undefined,
        },
        () => resolve(),
        reject,
      )
      loop.join(this.#waiter)
    })
  }
}

/** The content of a resume token. @public */
export interface ResumeTokenContent {
  /** Which kind of operation it belongs to, such as `service.job`. */
  readonly kind: string
  /** The service's id for the operation. */
  readonly id: string
  /**
   * Anything else that is needed to find the operation again. Unknown fields are kept, so that an older version can read
   * a token and write it again without losing them.
   */
  readonly extra?: Readonly<Record<string, unknown>>
}

const VERSION = 1
const FORM = /^cr([1-9]\d{0,5})\.([A-Za-z0-9_-]+)\.([0-9a-z]+)$/

/**
 * Writes a resume token: a string of letters, digits, `-`, `_` and `.`, which fits into a URL, a file name or a database
 * column. It names the operation and is useless without the credential. `extra` must contain no secrets.
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
 * @throws OptionsError if the token is not complete, is of another kind, or was made by a newer version.
 * @public
 */
export function readResumeToken(token: string, kind: string): ResumeTokenContent {
  const [, version, payload, check] = (typeof token === 'string' && FORM.exec(token)) || []
  if (payload === undefined) throw broken()
  if (Number(version) > VERSION) {
    throw new OptionsError(
      'token',
      `A newer version of this package made the token (token version ${Number(version)}, this one reads up to ${VERSION}).`,
      'Upgrade the package, or resume with the version that made the token.',
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
      'Resume it with the same client and kind of operation that it was created for.',
    )
  }
  return Object.keys(extra).length === 0 ? { kind, id } : { kind, id, extra }
}

function broken(): OptionsError {
  return new OptionsError(
    'token',
    'The token is not a complete resume token.',
    'Pass the string that resumeToken() returned, unchanged.',
  )
}

function readPayload(payload: string): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(fromBase64Url(payload))
    // Anything but an object lacks the members that are checked next.
    return (JSON.parse(text) as Record<string, unknown> | null) ?? undefined
  } catch {
    return undefined
  }
}

/** FNV-1a over 32 bits: detects a truncated or mistyped token. It doesn't protect against forgery. */
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
