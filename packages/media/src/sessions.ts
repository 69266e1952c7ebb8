import {
  CALL_OPTIONS,
  ApiError,
  checkOptionNames,
  checkPollingNames,
  ConnectionError,
  defineOperationKind,
  OptionsError,
  RequestInvalidError,
  requiredString,
  TimeoutError,
  type CallOptions,
  type ChangeOptions,
  type Client,
  type OperationHandle,
  type OperationKind,
  type OperationUpdate,
  type PollingOptions,
  type WaitOptions,
  type OptionNames,
} from '@concord/runtime'
import type {
  CreateRealtimeSessionRequest,
  RealtimeCredentials,
  RealtimeSession,
} from '@concord/media-validators'

import { SessionEndedError } from './errors.ts'
import { consumeRealtimeSession, createRealtimeSession, getRealtimeSession } from './gen/operations.gen.ts'
import type { MediaPolling } from './options.ts'
import { checkAccess, type SessionAccess } from './session-access.ts'
import type { Wire } from './version.ts'
import { ONE_ATTEMPT, type Waits } from './waits.ts'

/** The documented states, sorted by what they mean to somebody who waits for `READY`. */
const WAITER = {
  status: '/status',
  // A session that runs was ready between two polls.
  success: ['READY', 'RUNNING'],
  // Documented from RUNNING only, but no session becomes ready after one of them.
  failure: ['COMPLETED', 'FAILED', 'CANCELLED'],
  pending: ['NOT_READY'],
}

/** The client's own choices; the documentation gives a cadence for tasks only. A session lasts 5 minutes at most. */
const SESSION_POLLING: PollingOptions = {
  firstDelayMs: 1_000,
  minDelayMs: 1_000,
  maxDelayMs: 5_000,
  limit: '5m',
}

/** How a session is handled. @public */
export interface SessionOptions {
  /** Where identifier and status stand, in place of the client's `sessionAccess`. */
  readonly access?: SessionAccess
  /** Delays and limits for the waits on this session, in place of the client's. */
  readonly polling?: PollingOptions
}

const SESSION_OPTIONS: OptionNames<SessionOptions> = { access: true, polling: true }

/** A real-time session. @public */
export interface SessionHandle {
  readonly id: string
  /** The last status that was seen. */
  readonly status: string | undefined
  /** The last whole answer that was seen. */
  readonly snapshot: RealtimeSession | undefined
  /**
   * Waits until the session is `READY`.
   *
   * @throws SessionEndedError when it is `COMPLETED`, `FAILED` or `CANCELLED`: it will not become ready.
   * @throws DeadlineError when the time is over. It says nothing about the session.
   */
  wait(options?: WaitOptions<RealtimeSession>): Promise<RealtimeSession>
  /** Iterates over the changes that polls find, until the session is ready. */
  changes(options?: ChangeOptions): AsyncIterableIterator<OperationUpdate<RealtimeSession>>
  /**
   * Obtains the WebRTC credentials. This works once for a session, so it is sent once: never retried, and a second call
   * of this handle is refused before it is sent, unless the service refused the first one (4xx) or it was never sent. The
   * credentials come as they are; keep them out of logs.
   *
   * @throws SubmissionUncertainError when the answer was lost; the credentials may be used up. Create a new session.
   */
  consume(options?: CallOptions): Promise<RealtimeCredentials>
  /** Text by which the session can be found again. It holds no secret. */
  resumeToken(): string
}

/** Real-time sessions with avatars. @public */
export class Sessions {
  readonly #wire: Wire
  readonly #client: Client
  readonly #waits: Waits
  readonly #access: SessionAccess | undefined
  readonly #polling: PollingOptions
  readonly #kinds = new WeakMap<SessionAccess, OperationKind<RealtimeSession>>()

  /** @internal */
  constructor(
    client: Client,
    wire: Wire,
    waits: Waits,
    access: SessionAccess | undefined,
    polling: MediaPolling | undefined,
  ) {
    this.#client = client
    this.#wire = wire
    this.#waits = waits
    this.#access = access
    this.#polling = { ...SESSION_POLLING, ...polling?.session }
  }

  /**
   * Creates a session and gives a handle on it. The names of the fields of the request are not documented, so you give
   * them.
   *
   * @throws OptionsError when nothing says where the identifier and the status stand; nothing is sent then.
   * @throws SubmissionUncertainError when the answer was lost; the session is not created again.
   */
  async create(
    request: CreateRealtimeSessionRequest,
    options: SessionOptions & CallOptions = {},
  ): Promise<SessionHandle> {
    checkOptionNames(options, { ...SESSION_OPTIONS, ...CALL_OPTIONS }, 'options')
    const { access, polling, ...call } = options
    const used = this.#accessOf(access)
    checkPollingNames(polling, 'polling')
    const session = await this.#wire.send(createRealtimeSession, { body: request }, call)
    const id = used.idOf(session)
    if (typeof id !== 'string' || id === '') {
      throw new OptionsError(
        'access.idOf',
        '`access.idOf` did not return a string for the session that was created.',
        'Return the id; the session continues at the service.',
      )
    }
    const status = used.statusOf(session)
    return this.#handleOf(
      this.#kind(used).handle(id, {
        polling,
        ...(typeof status === 'string' ? { snapshot: session } : {}),
      }),
    )
  }

  /** A handle on a session that is known by its id. @throws OptionsError when the id is no text. */
  attach(id: string, options: SessionOptions = {}): SessionHandle {
    requiredString(id, 'id', 'Pass the id of the session.')
    checkOptionNames(options, SESSION_OPTIONS, 'options')
    const { access, polling } = options
    checkPollingNames(polling, 'polling')
    return this.#handleOf(this.#kind(this.#accessOf(access)).attach(id, { polling }))
  }

  /** A handle on a session from a resume token. @throws OptionsError when the token is not one of a session. */
  resume(token: string, options: SessionOptions = {}): SessionHandle {
    checkOptionNames(options, SESSION_OPTIONS, 'options')
    const { access, polling } = options
    checkPollingNames(polling, 'polling')
    return this.#handleOf(this.#kind(this.#accessOf(access)).resume(token, { polling }))
  }

  #accessOf(own: SessionAccess | undefined): SessionAccess {
    return checkAccess(own ?? this.#access, own === undefined ? 'sessionAccess' : 'access')
  }

  #kind(access: SessionAccess): OperationKind<RealtimeSession> {
    let kind = this.#kinds.get(access)
    if (kind === undefined) {
      kind = defineOperationKind<RealtimeSession>({
        kind: 'media.session',
        label: 'Session',
        operation: getRealtimeSession.id,
        waiter: WAITER,
        scheduler: this.#waits.scheduler,
        polling: this.#polling,
        statusOf: (session) => access.statusOf(session),
        poll: (id, signal) =>
          this.#wire.exchange(getRealtimeSession, { path: { id } }, { ...ONE_ATTEMPT, signal }),
        failure: ({ id, status, snapshot, operation }) =>
          new SessionEndedError(id, status, snapshot, { operation }),
        observe: (event) => this.#client.emit(event),
      })
      this.#kinds.set(access, kind)
    }
    return kind
  }

  #handleOf(inner: OperationHandle<RealtimeSession>): SessionHandle {
    return new OneSession(inner, this.#wire)
  }
}

/** Whether the credentials were certainly not handed over, so that the caller may ask for them again. */
function isUnspent(error: unknown): boolean {
  if (ApiError.is(error)) return error.status < 500
  if (ConnectionError.is(error) || TimeoutError.is(error)) return error.sent === 'no'
  return OptionsError.is(error) || RequestInvalidError.is(error)
}

class OneSession implements SessionHandle {
  readonly #inner: OperationHandle<RealtimeSession>
  readonly #wire: Wire
  #consumed = false

  constructor(inner: OperationHandle<RealtimeSession>, wire: Wire) {
    this.#inner = inner
    this.#wire = wire
  }

  get id(): string {
    return this.#inner.id
  }

  get status(): string | undefined {
    return this.#inner.status
  }

  get snapshot(): RealtimeSession | undefined {
    return this.#inner.snapshot
  }

  wait(options?: WaitOptions<RealtimeSession>): Promise<RealtimeSession> {
    return this.#inner.wait(options)
  }

  changes(options?: ChangeOptions): AsyncIterableIterator<OperationUpdate<RealtimeSession>> {
    return this.#inner.changes(options)
  }

  async consume(options?: CallOptions): Promise<RealtimeCredentials> {
    if (this.#consumed) {
      throw new OptionsError(
        'session',
        'This handle already consumed the session, and its credentials can be obtained only once.',
        'Keep the result of the first call, or create a new session.',
      )
    }
    this.#consumed = true
    try {
      return await this.#wire.send(consumeRealtimeSession, { path: { id: this.id } }, options)
    } catch (error) {
      if (isUnspent(error)) this.#consumed = false
      throw error
    }
  }

  resumeToken(): string {
    return this.#inner.resumeToken()
  }

  /** What a log may hold of it. */
  toJSON(): Record<string, unknown> {
    return { id: this.id, status: this.status }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `SessionHandle ${JSON.stringify(this)}`
  }
}
