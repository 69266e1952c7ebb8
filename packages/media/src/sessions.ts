import {
  ContractDriftError,
  OptionsError,
  type CallOptions,
  type ChangeOptions,
  type Client,
  type OperationHandle,
  type OperationUpdate,
  type PollingOptions,
  type WaitOptions,
} from '@concord/runtime'
import {
  CALL_OPTIONS,
  checkOptionNames,
  checkPollingNames,
  choiceOption,
  defineOperationKind,
  readResumeToken,
  requiredString,
  type OptionNames,
} from '@concord/runtime/internal'
import type {
  CreateRealtimeSessionRequest,
  RealtimeCredentials,
  RealtimeSession,
  RealtimeSessionStatus,
} from '@concord/media-validators'

import { SessionEndedError } from './errors.ts'
import { consumeRealtimeSession, createRealtimeSession, getRealtimeSession } from './gen/operations.gen.ts'
import type { MediaPolling } from './options.ts'
import { checkAccess, sessionId, sessionStatus, type SessionAccess } from './session-access.ts'
import type { Wire } from './version.ts'
import { ONE_ATTEMPT, type Waits } from './waits.ts'

/** How far a session is followed: until it can be joined, or until it has finished. @public */
export type SessionGoal = 'ready' | 'completed'

/**
 * `limit` is the default limit of a wait. The client sets this limit: the documentation says only that a session
 * runs for at most 5 minutes.
 */
const GOALS = {
  ready: {
    // A running session was ready before, even if no poll saw it as `READY`.
    success: ['READY', 'RUNNING'],
    failure: ['COMPLETED', 'FAILED', 'CANCELLED'],
    pending: ['NOT_READY'],
    limit: '5m',
  },
  completed: {
    success: ['COMPLETED'],
    failure: ['FAILED', 'CANCELLED'],
    pending: ['NOT_READY', 'READY', 'RUNNING'],
    limit: '15m',
  },
} as const satisfies Record<SessionGoal, Record<string, string | readonly RealtimeSessionStatus[]>>

const KIND = 'media.session'

/** The documentation doesn't say how often to poll a session. */
const POLLING: PollingOptions = { firstDelayMs: 1_000, minDelayMs: 1_000, maxDelayMs: 5_000 }

/** Options of a session handle. @public */
export interface SessionOptions {
  /** Which fields hold the id and the status. Overrides the client's `sessionAccess`. */
  readonly access?: SessionAccess
  /** Polling delays and limits for this session. They override the client's `polling.session`. */
  readonly polling?: PollingOptions
}

/** The result of one poll of a session. @public */
export interface SessionUpdate extends Omit<OperationUpdate<RealtimeSession>, 'status'> {
  /** An undocumented status is returned unchanged. */
  readonly status: RealtimeSessionStatus | undefined
}

/** Options of {@link SessionHandle.changes}. @public */
export interface SessionChangeOptions extends ChangeOptions {
  /** How far to follow the session. Default `'ready'`. */
  readonly until?: SessionGoal
}

/** Options of {@link SessionHandle.wait}. @public */
export interface SessionWaitOptions extends SessionChangeOptions {
  /**
   * Called after every poll, unless the poll's error ends the wait. If `onUpdate` throws, this wait ends with that
   * error.
   */
  readonly onUpdate?: (update: SessionUpdate) => void
}

/** Options of {@link SessionHandle.consume}, without `maxAttempts`: the request is never retried. @public */
export type ConsumeOptions = Omit<CallOptions, 'maxAttempts'>

const SESSION_OPTIONS: OptionNames<SessionOptions> = { access: true, polling: true }

/** A real-time session. @public */
export interface SessionHandle {
  readonly id: string
  /** The status in `snapshot`. An undocumented status is returned unchanged. */
  readonly status: RealtimeSessionStatus | undefined
  /** The newest record: from the last successful poll or, before any poll succeeded, from `create`. */
  readonly snapshot: RealtimeSession | undefined
  /**
   * The number of sessions that `create` may have created, including this session. More than 1 if its request was
   * repeated after a 502, 503 or 504, as the service's documentation asks. A handle from an id or a token always
   * reports 1.
   */
  readonly possibleDuplicates: number
  /**
   * Waits until the session is `READY` (or already `RUNNING`), for at most 5 minutes. With `until: 'completed'`, waits until
   * it is `COMPLETED`, for at most 15 minutes. `deadline` and `polling.limit` set other limits.
   *
   * @example
   * ```ts
   * await session.wait()
   * const credentials = await session.consume()
   * await session.wait({ until: 'completed' })
   * ```
   * @param options - How far and how long to wait.
   * @throws SessionEndedError if the session is `FAILED`, `CANCELLED` or, in a wait for `READY`, already `COMPLETED`.
   * @throws DeadlineError at the deadline. The session keeps running.
   */
  wait(options?: SessionWaitOptions): Promise<RealtimeSession>
  /**
   * Iterates over the changes that polls find, until the session has reached the goal in `until`. Throws the same
   * errors as {@link wait}.
   */
  changes(options?: SessionChangeOptions): AsyncIterableIterator<SessionUpdate>
  /**
   * Obtains the WebRTC credentials. They can be obtained only once per session, so the request is never retried
   * automatically. After an error, you may call `consume` again. If the service denies that call, create a new
   * session. Keep the credentials out of logs.
   *
   * @example
   * ```ts
   * const credentials = await session.consume()
   * ```
   * @param options - Time limits and other options of the call.
   * @throws SubmissionUncertainError after a 5xx or a lost response. The service may have issued the credentials.
   * @throws OptionsError if this handle has already returned the credentials, or if another `consume` call is in
   * progress.
   */
  consume(options?: ConsumeOptions): Promise<RealtimeCredentials>
  /** Returns a token to pass to {@link Sessions.resume}. The token contains no secret. */
  resumeToken(): string
}

interface SessionParts {
  readonly client: Client
  readonly wire: Wire
  readonly waits: Waits
  readonly polling: PollingOptions | undefined
}

/** Real-time sessions with avatars. @public */
export class Sessions {
  readonly #parts: SessionParts
  readonly #access: SessionAccess | undefined

  /** @internal */
  constructor(
    client: Client,
    wire: Wire,
    waits: Waits,
    { sessionAccess, polling }: { readonly sessionAccess?: SessionAccess; readonly polling?: MediaPolling },
  ) {
    this.#parts = { client, wire, waits, polling: polling?.session }
    this.#access = sessionAccess
  }

  /**
   * Creates a session and returns a handle for it. The request's field names are not documented: use the names that the
   * service expects.
   *
   * @example
   * ```ts
   * const session = await media.sessions.create({ 'the-field-that-you-know': avatarId })
   * await session.wait()
   * ```
   * @param request - The fields, under the service's names.
   * @param options - Polling delays, options of the call, and `access`: the fields that hold the id and the status.
   * @throws OptionsError if neither `access` nor the client's `sessionAccess` is set; nothing is sent.
   * @throws ContractDriftError if the response has no id in the field that `access` names. The session was created
   * anyway; the error's `data` is the response.
   * @throws SubmissionUncertainError if the response was lost or unreadable, or if the last attempt returned a 5xx.
   * The session may exist.
   */
  async create(
    request: CreateRealtimeSessionRequest,
    options: SessionOptions & CallOptions = {},
  ): Promise<SessionHandle> {
    checkOptionNames(options, { ...SESSION_OPTIONS, ...CALL_OPTIONS }, 'options')
    const { access, polling, ...call } = options
    const used = this.#accessOf(access)
    checkPollingNames(polling, 'polling')
    const { data, possibleDuplicates } = await this.#parts.wire.exchange(
      createRealtimeSession,
      { body: request },
      call,
    )
    const id = sessionId(data, used)
    if (id === undefined) throw withoutId(data, used)
    return new OneSession(this.#parts, id, used, { polling, data, possibleDuplicates })
  }

  /**
   * Returns a handle for the session with this id.
   *
   * @throws OptionsError if the id isn't a string, or if neither `access` nor the client's `sessionAccess` is set.
   */
  attach(id: string, options: SessionOptions = {}): SessionHandle {
    requiredString(id, 'id', 'Pass the id of the session.')
    checkOptionNames(options, SESSION_OPTIONS, 'options')
    return new OneSession(this.#parts, id, this.#accessOf(options.access), options)
  }

  /**
   * Returns a handle for the session that a resume token identifies.
   *
   * @throws OptionsError if the token doesn't identify a session, or if neither `access` nor the client's
   * `sessionAccess` is set.
   */
  resume(token: string, options: SessionOptions = {}): SessionHandle {
    checkOptionNames(options, SESSION_OPTIONS, 'options')
    const access = this.#accessOf(options.access)
    const { id } = readResumeToken(token, KIND)
    return new OneSession(this.#parts, id, access, options)
  }

  #accessOf(own: SessionAccess | undefined): SessionAccess {
    return checkAccess(own ?? this.#access, own === undefined ? 'sessionAccess' : 'access')
  }
}

function withoutId(session: RealtimeSession | undefined, access: SessionAccess): ContractDriftError {
  const names = Object.keys(session ?? {})
  const fields =
    names.length === 0
      ? 'The response has no fields'
      : `The response has the fields \`${names.join('`, `')}\``
  return new ContractDriftError(
    `${createRealtimeSession.id}: the session was created, but the response has no id at ${access.id}. ${fields}; ` +
      'the `data` of this error contains the whole response. Correct `id` in `access` or `sessionAccess`, then ' +
      'call `sessions.attach` with the id of the session.',
    [{ path: access.id, reason: 'must be a non-empty string' }],
    session,
    { operation: createRealtimeSession.id },
  )
}

/** `data` and `possibleDuplicates` are set only if this client just created the session. */
interface SessionStart {
  readonly polling?: PollingOptions | undefined
  readonly data?: RealtimeSession | undefined
  readonly possibleDuplicates?: number | undefined
}

class OneSession implements SessionHandle {
  readonly possibleDuplicates: number
  snapshot: RealtimeSession | undefined
  readonly #wire: Wire
  readonly #access: SessionAccess
  readonly #follow: (goal: SessionGoal) => OperationHandle<RealtimeSession>
  readonly #ready: OperationHandle<RealtimeSession>
  #completed: OperationHandle<RealtimeSession> | undefined
  #consumption: 'none' | 'in-progress' | 'done' = 'none'

  constructor(
    { client, wire, waits, polling: shared }: SessionParts,
    id: string,
    access: SessionAccess,
    { polling, data: created, possibleDuplicates = 1 }: SessionStart,
  ) {
    this.possibleDuplicates = possibleDuplicates
    this.snapshot = created
    this.#wire = wire
    this.#access = access
    const snapshot = sessionStatus(created, access) === undefined ? undefined : created
    this.#follow = (goal) => {
      const { limit, ...states } = GOALS[goal]
      const kind = defineOperationKind<RealtimeSession>({
        kind: KIND,
        label: 'Session',
        operation: getRealtimeSession.id,
        waiter: { status: access.status, ...states },
        scheduler: waits.scheduler,
        polling: { ...POLLING, limit, ...shared },
        poll: async (_, signal) => {
          const options = { ...ONE_ATTEMPT, signal }
          const response = await wire.exchange(getRealtimeSession, { path: { id } }, options)
          // The waits for both goals share this record.
          this.snapshot = response.data
          return response
        },
        failure: ({ status, snapshot: last, operation }) =>
          new SessionEndedError(id, status, last, { operation }),
        observe: (event) => client.emit(event),
      })
      return created === undefined ? kind.attach(id, { polling }) : kind.handle(id, { polling, snapshot })
    }
    this.#ready = this.#follow('ready')
  }

  get id(): string {
    return this.#ready.id
  }

  get status(): RealtimeSessionStatus | undefined {
    return sessionStatus(this.snapshot, this.#access)
  }

  async wait({ until, ...options }: SessionWaitOptions = {}): Promise<RealtimeSession> {
    return this.#toward(until).wait(options as WaitOptions<RealtimeSession>)
  }

  changes({ until, ...options }: SessionChangeOptions = {}): AsyncIterableIterator<SessionUpdate> {
    return this.#toward(until).changes(options) as AsyncIterableIterator<SessionUpdate>
  }

  async consume(options: ConsumeOptions = {}): Promise<RealtimeCredentials> {
    if ('maxAttempts' in options) {
      throw new OptionsError(
        'maxAttempts',
        '`consume` has no option `maxAttempts`. The client never retries this request, because a failed request may have used up the credentials.',
        'Omit `maxAttempts`. After an error, you can call `consume` again, but the credentials may be gone.',
      )
    }
    if (this.#consumption !== 'none') {
      const done = this.#consumption === 'done'
      throw new OptionsError(
        'session',
        done
          ? 'This handle already returned the credentials, and they can be obtained only once.'
          : 'Another `consume` call on this handle is in progress, and the credentials can be obtained only once.',
        done ? 'Use the result of the first call, or create a new session.' : 'Await that call.',
      )
    }
    this.#consumption = 'in-progress'
    try {
      const credentials = await this.#wire.send(consumeRealtimeSession, { path: { id: this.id } }, options)
      this.#consumption = 'done'
      return credentials
    } finally {
      if (this.#consumption === 'in-progress') this.#consumption = 'none'
    }
  }

  resumeToken(): string {
    return this.#ready.resumeToken()
  }

  /** Returns the fields that may be logged. */
  toJSON(): Record<string, unknown> {
    return { id: this.id, status: this.status }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `SessionHandle ${JSON.stringify(this)}`
  }

  #toward(until: SessionGoal | undefined): OperationHandle<RealtimeSession> {
    const goal = choiceOption(until, 'until', { ready: true, completed: true }, 'ready')
    return goal === 'ready' ? this.#ready : (this.#completed ??= this.#follow('completed'))
  }
}
