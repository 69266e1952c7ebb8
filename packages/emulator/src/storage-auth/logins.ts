import type { Clock } from '../core/clock.ts'
import type { Accounts } from './accounts.ts'
import type { LoginPlace, StorageAuthChoices } from './choices.ts'
import type { Counters } from './counters.ts'
import { FAILURES_TO_LOCK, LOCK_MS } from './limits.ts'
import type { StorageAccount } from './model.ts'

/** What came of a login. */
export type LoginOutcome =
  | { account: StorageAccount }
  | { refused: 'wrong-credentials' | 'no-password' }
  | { refused: 'locked'; waitMs: number }

/** Checks passwords, and locks accounts after too many failures. */
export interface Logins {
  attempt(login: { email: string; password: string; place: LoginPlace; address: string }): LoginOutcome
  /** How long the account is still locked, in milliseconds; 0 where it is not. */
  lockedForMs(account: StorageAccount): number
  lock(account: StorageAccount): void
  unlock(account: StorageAccount): void
  /** How many failures count against the account. */
  failuresOf(account: StorageAccount): number
  clear(): void
}

interface Score {
  failedAt: number[]
  lockedUntil: number
}

/** Makes the check of passwords. */
export function createLogins(parts: {
  clock: Clock
  accounts: Accounts
  choices: StorageAuthChoices
  counters: Counters
}): Logins {
  const { clock, accounts, choices, counters } = parts
  /** By what the failures are counted by. */
  const scores = new Map<string, Score>()

  function scoreOf(scope: string): Score {
    const score = scores.get(scope) ?? { failedAt: [], lockedUntil: -Infinity }
    scores.set(scope, score)
    return score
  }

  /** What the failures of an account are counted by, as far as it does not depend on where the logins come from. */
  const scopeOf = (account: StorageAccount) =>
    choices.failureScope({
      email: choices.normalizeEmail(account.email),
      reason: 'wrong-password',
      place: 'token-endpoint',
      address: '',
    })

  function waitOf(scope: string | undefined): number {
    return scope === undefined ? 0 : Math.max(0, (scores.get(scope)?.lockedUntil ?? -Infinity) - clock.now())
  }

  /** Counts a failure; answers whether it locks. */
  function countFailure(scope: string | undefined): boolean {
    if (scope === undefined) return false
    const score = scoreOf(scope)
    const now = clock.now()
    score.failedAt = [...score.failedAt.filter((at) => now - at < choices.lock.failureWindowMs), now]
    if (score.failedAt.length < FAILURES_TO_LOCK) return false
    Object.assign(score, { failedAt: [], lockedUntil: now + LOCK_MS })
    return true
  }

  function locked(scope: string | undefined): LoginOutcome {
    counters.logins.locked++
    if (choices.lock.attemptsExtend && scope !== undefined) scoreOf(scope).lockedUntil = clock.now() + LOCK_MS
    return { refused: 'locked', waitMs: waitOf(scope) }
  }

  return {
    attempt({ email, password, place, address }) {
      const account = accounts.find(email)
      const isRight = account?.password !== undefined && account.password === password
      const reason = !account
        ? 'unknown-email'
        : account.password === undefined
          ? 'no-password'
          : 'wrong-password'
      const scope = choices.failureScope({
        email: choices.normalizeEmail(email),
        reason,
        place,
        address,
      })
      if (waitOf(scope) > 0 && !(isRight && !choices.lock.refusesRightPassword)) return locked(scope)
      if (account && isRight) {
        if (choices.lock.successForgetsFailures && scope !== undefined) scores.delete(scope)
        counters.logins.granted++
        return { account }
      }
      if (countFailure(scope) && choices.lock.lastFailureSaysLocked) return locked(scope)
      if (reason === 'no-password') {
        counters.logins.noPassword++
        return { refused: 'no-password' }
      }
      counters.logins.wrongCredentials++
      return { refused: 'wrong-credentials' }
    },
    lockedForMs: (account) => waitOf(scopeOf(account)),
    lock(account) {
      const scope = scopeOf(account)
      if (scope !== undefined) scoreOf(scope).lockedUntil = clock.now() + LOCK_MS
    },
    unlock(account) {
      const scope = scopeOf(account)
      if (scope !== undefined) scores.delete(scope)
    },
    failuresOf: (account) => scores.get(scopeOf(account) ?? '')?.failedAt.length ?? 0,
    clear: () => scores.clear(),
  }
}
