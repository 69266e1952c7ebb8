import type { ControlledClock } from '../core/controlled-clock.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import { randomUuid, type RandomSource } from '../core/random.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { MediaChoices } from './choices.ts'
import type { RealtimeSession, SessionStatus } from './model.ts'

/** The longest that a session runs. */
export const SESSION_LIMIT_MS = 5 * 60 * 1_000

/** How a session can end. @public */
export type SessionEnd = 'COMPLETED' | 'FAILED' | 'CANCELLED'

const ENDS: ReadonlySet<SessionStatus> = new Set(['COMPLETED', 'FAILED', 'CANCELLED'])

/** The real-time sessions, and what moves them. */
export interface Sessions {
  create(organization: string, avatarId?: string): RealtimeSession
  find(id: string): RealtimeSession | undefined
  all(): RealtimeSession[]
  /** Moves a session to READY, RUNNING or an end. */
  move(id: string, status: 'READY' | 'RUNNING' | SessionEnd): void
  clear(): void
}

/** What sessions work with. */
export interface SessionTools {
  clock: ControlledClock
  random: RandomSource
  choices: MediaChoices
  checkMove: TransitionCheck
}

/** Makes an empty set of sessions. */
export function createSessions({ clock, random, choices, checkMove }: SessionTools): Sessions {
  const sessions = new Map<string, RealtimeSession>()
  const timers = new Map<RealtimeSession, { cancel(): void }[]>()

  function move(session: RealtimeSession, status: SessionStatus): void {
    checkMove(session.status, status)
    session.status = status
    if (status === 'RUNNING') {
      session.startedAt = clock.now()
      stop(session)
      after(session, SESSION_LIMIT_MS, () => move(session, choices.session.timeUp))
    }
    if (ENDS.has(status)) {
      session.endedAt = clock.now()
      stop(session)
    }
  }

  function after(session: RealtimeSession, delayMs: number, next: () => void): void {
    timers.set(session, [...(timers.get(session) ?? []), clock.setTimer(next, delayMs)])
  }

  function stop(session: RealtimeSession): void {
    for (const timer of timers.get(session) ?? []) timer.cancel()
    timers.delete(session)
  }

  return {
    create(organization, avatarId) {
      const session: RealtimeSession = {
        id: randomUuid(random),
        organization,
        ...(avatarId === undefined ? {} : { avatarId }),
        status: 'NOT_READY',
        consumed: false,
        createdAt: clock.now(),
      }
      checkMove('null', session.status)
      sessions.set(session.id, session)
      const { readyMs, unused } = choices.session
      if (unused) after(session, unused.afterMs, () => move(session, unused.status))
      if (readyMs !== null)
        after(session, readyMs, () => {
          if (session.status === 'NOT_READY') move(session, 'READY')
        })
      return session
    },
    find: (id) => sessions.get(id),
    all: () => [...sessions.values()],
    move(id, status) {
      const session = sessions.get(id)
      if (!session) throw new EmulatorOptionsError(`There is no session ${id}.`)
      if (ENDS.has(session.status))
        throw new EmulatorOptionsError(`The session ${id} is ${session.status} already.`)
      move(session, status)
    },
    clear() {
      for (const session of timers.keys()) stop(session)
      sessions.clear()
      timers.clear()
    },
  }
}
