import { EmulatorOptionsError, required } from '../core/errors.ts'
import { randomUuid } from '../core/random.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { MediaTools } from './choices.ts'
import type { RealtimeSession, SessionStatus } from './model.ts'

const SESSION_LIMIT_MS = 5 * 60 * 1_000

/** The final statuses of a session. @public */
export type SessionEnd = 'COMPLETED' | 'FAILED' | 'CANCELLED'

const ENDS: ReadonlySet<SessionStatus> = new Set(['COMPLETED', 'FAILED', 'CANCELLED'])

interface SessionTools extends MediaTools {
  readonly checkMove: TransitionCheck
}

export class Sessions {
  readonly #tools: SessionTools
  readonly #sessions = new Map<string, RealtimeSession>()
  readonly #timers = new Map<RealtimeSession, { cancel(): void }[]>()

  constructor(tools: SessionTools) {
    this.#tools = tools
  }

  create(organization: string, avatarId?: string): RealtimeSession {
    const { random, clock, checkMove, choices } = this.#tools
    const session: RealtimeSession = {
      id: randomUuid(random),
      organization,
      ...(avatarId === undefined ? {} : { avatarId }),
      status: checkMove('null', 'NOT_READY'),
      consumed: false,
      createdAt: clock.now(),
    }
    this.#sessions.set(session.id, session)
    const { readyMs, unused } = choices.session
    if (unused) this.#after(session, unused.afterMs, () => this.#move(session, unused.status))
    if (readyMs !== null)
      this.#after(session, readyMs, () => {
        if (session.status === 'NOT_READY') this.#move(session, 'READY')
      })
    return session
  }

  get(id: string): RealtimeSession | undefined {
    return this.#sessions.get(id)
  }

  all(): RealtimeSession[] {
    return [...this.#sessions.values()]
  }

  move(id: string, status: 'READY' | 'RUNNING' | SessionEnd): void {
    const session = required(this.#sessions.get(id), `session ${id}`)
    if (ENDS.has(session.status))
      throw new EmulatorOptionsError(`The session ${id} is already ${session.status}.`)
    this.#move(session, status)
  }

  clear(): void {
    for (const session of this.#timers.keys()) this.#stop(session)
    this.#sessions.clear()
  }

  #move(session: RealtimeSession, status: SessionStatus): void {
    const { checkMove, clock, choices } = this.#tools
    session.status = checkMove(session.status, status)
    if (status === 'RUNNING' || ENDS.has(status)) this.#stop(session)
    if (status === 'RUNNING') {
      session.startedAt = clock.now()
      this.#after(session, SESSION_LIMIT_MS, () => this.#move(session, choices.session.timeUp))
    }
    if (ENDS.has(status)) session.endedAt = clock.now()
  }

  #after(session: RealtimeSession, delayMs: number, next: () => void): void {
    const work = { operation: 'createRealtimeSession', about: `session ${session.id}` }
    const timer = this.#tools.background.setTimer(work, next, delayMs)
    this.#timers.set(session, [...(this.#timers.get(session) ?? []), timer])
  }

  #stop(session: RealtimeSession): void {
    for (const timer of this.#timers.get(session) ?? []) timer.cancel()
    this.#timers.delete(session)
  }
}
