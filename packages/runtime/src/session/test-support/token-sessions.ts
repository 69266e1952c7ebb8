import { AuthenticationError, ConnectionError } from '../../core/errors.ts'
import type { RefreshEvent } from '../../core/events.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'
import { memoryTokenStore, type StoredSession, type TokenStore } from '../token-store.ts'
import type { TokenSessionOptions } from '../refresh-run.ts'
import type { IssuedTokens } from '../token-store.ts'
import { TokenSession } from '../token-session.ts'

// Shared by the tests of sessions.

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
export const notSent = () => new ConnectionError('refused', { phase: 'connect', sent: 'no' })

/** A service that issues pairs, accepts each refresh token once, and can be made to fail. */
function service() {
  let count = 1
  const valid = new Set(['refresh-1'])
  const presented: string[] = []
  const failures: ((token: string) => Promise<void> | void)[] = []
  return {
    presented,
    valid,
    failNext: (...next: typeof failures) => failures.push(...next),
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
