import { onTestFinished, vi } from 'vitest'

import type { Clock } from '../../core/clock.ts'
import { AuthenticationError, ConnectionError, RateLimitedError } from '../../core/errors.ts'
import type { RefreshEvent } from '../../core/events.ts'
import { memoryRequestLog, RequestLimiter } from '../../limit/limits.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'
import type { TokenSessionOptions } from '../refresh-run.ts'
import { TokenSession } from '../token-session.ts'
import {
  type HeldTokenStore,
  type IssuedTokens,
  memoryTokenStore,
  type StoredSession,
  type TokenStore,
} from '../token-store.ts'

export const HOUR = 3_600_000
export const MINUTE = 60_000

export const response = (status: number) => ({
  status,
  body: undefined,
  text: '',
  headers: () => new Headers(),
})
export const denial = () => new AuthenticationError('401', response(401))
export const lostResponse = () => new ConnectionError('lost', { phase: 'receive', sent: 'maybe' })
export const tooMany = (retryAfterMs?: number, retryHelps = true) =>
  new RateLimitedError('429', { ...response(429), retryAfterMs }, { retryHelps })
export const notSent = () => new ConnectionError('refused', { phase: 'connect', sent: 'no' })

/** A service that issues pairs of tokens, accepts each refresh token once, and can be made to fail. */
function service() {
  let count = 1
  const valid = new Set(['refresh-1'])
  const presented: string[] = []
  const failures: ((token: string) => Promise<void> | void)[] = []
  return {
    presented,
    valid,
    /** Runs these functions in order, one during each of the next refreshes. If a function throws, the refresh fails. */
    failNext: (...next: typeof failures) => failures.push(...next),
    /** Makes the next refreshes fail, each with one of these errors. */
    failWith: (...errors: readonly Error[]) =>
      failures.push(
        ...errors.map((error) => () => {
          throw error
        }),
      ),
    pair: (): IssuedTokens => ({
      accessToken: `access-${count}`,
      refreshToken: `refresh-${count}`,
      expiresInMs: HOUR,
      subject: 'kim',
      details: { name: 'Kim' },
    }),
    async refresh(this: void, token: string): Promise<IssuedTokens> {
      presented.push(token)
      const fail = failures.shift()
      await fail?.(token)
      if (!valid.delete(token)) throw denial()
      count++
      valid.add(`refresh-${count}`)
      return { accessToken: `access-${count}`, refreshToken: `refresh-${count}`, expiresInMs: HOUR }
    },
  }
}

/** A new session and its service, on a clock that doesn't move by itself. */
export async function setUp(own: Partial<TokenSessionOptions> = {}) {
  const clock = virtualClock({ autoAdvance: false })
  const server = service()
  const store = memoryTokenStore()
  const events: RefreshEvent[] = []
  const options: TokenSessionOptions = {
    store,
    refresh: server.refresh,
    clock,
    random: () => 0.5,
    emit: (event) => events.push(event),
    ...own,
  }
  const session = await TokenSession.begin(options, server.pair(), clock.now())
  return { clock, server, store: options.store, options, session, events }
}

export const write = (store: TokenStore, session: StoredSession) =>
  store.exclusive((held) => held.write(session))

/** Creates a token pair that looks as if another process of the same user had just stored it. */
export const pairOfAnother = (clock: Clock): StoredSession => ({
  accessToken: 'access-of-another',
  refreshToken: 'refresh-of-another',
  obtainedAtMs: clock.now(),
  expiresAtMs: clock.now() + HOUR,
  subject: 'kim',
})

/** A limiter that allows `limit` requests per minute. */
export const limiterOn = (clock: Clock, limit = 10, log = memoryRequestLog()) =>
  new RequestLimiter({ limit, windowMs: MINUTE, log, clock, name: 'the token endpoints' })

/** A store in memory that can be made to fail. */
export function failingStore() {
  const inner = memoryTokenStore()
  const faults: {
    /** Which writes fail for lack of space: those of new pairs, or those that mark the refresh token as presented. */
    full?: 'pairs' | 'marks' | undefined
    /**
     * Thrown after a write has changed the content. A real store fails like this if it has renamed a file but can't
     * sync the folder: the change may not be durable.
     */
    written?: unknown
    /** Thrown by `exclusive` after the work has ended. */
    ended?: unknown
  } = {}
  const write = async (held: HeldTokenStore, session: StoredSession): Promise<void> => {
    if (faults.full === (session.presented === undefined ? 'pairs' : 'marks'))
      throw Object.assign(new Error(`no space for ${session.accessToken}`), { code: 'ENOSPC' })
    await held.write(session)
    if (faults.written !== undefined) throw faults.written
  }
  const store: TokenStore = {
    read: () => inner.read(),
    async exclusive(work, signal) {
      const result = await inner.exclusive(
        (held) => work({ ...held, write: (session) => write(held, session) }),
        signal,
      )
      if (faults.ended !== undefined) throw faults.ended
      return result
    },
  }
  return { inner, faults, store }
}

/** Records process warnings instead of printing them, until the test has finished. */
export function recordWarnings() {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  onTestFinished(() => warned.mockRestore())
  return warned
}
