import type { Accounts } from './accounts.ts'
import type { LoginEntryPoint, StorageTools } from './choices.ts'
import type { StorageDenialFacts } from './denials.ts'
import { FAILURES_TO_LOCK, LOCK_MS } from './limits.ts'
import type { StorageAccount } from './model.ts'

interface LoginAttempt {
  readonly email: string
  readonly password: string
  readonly place: LoginEntryPoint
  /** The IP address of the sender. */
  readonly address: string
}

type LoginOutcome =
  | { account: StorageAccount }
  | { denied: 'wrong-credentials' | 'no-password' | 'locked'; facts?: StorageDenialFacts }

interface FailureRecord {
  failedAt: number[]
  lockedUntil: number
}

interface LoginTools extends StorageTools {
  readonly accounts: Accounts
}

/** Checks passwords, and locks accounts after too many failures. */
export class Logins {
  readonly #tools: LoginTools
  /** The failed logins and the lock of each failure scope (see `choices.failureScope`). */
  readonly #records = new Map<string, FailureRecord>()

  constructor(tools: LoginTools) {
    this.#tools = tools
  }

  attempt({ email, password, place, address }: LoginAttempt): LoginOutcome {
    const { accounts, choices, counters } = this.#tools
    const { deniesRightPassword, successForgetsFailures, lastFailureSaysLocked } = choices.lock
    const account = accounts.find(email)
    const isRight = account?.password !== undefined && account.password === password
    const reason = reasonFor(account)
    const scope = choices.failureScope({ email: choices.normalizeEmail(email), reason, place, address })
    if (this.#waitOf(scope) > 0 && (!isRight || deniesRightPassword)) return this.#locked(scope)
    if (account && isRight) {
      if (successForgetsFailures && scope !== undefined) this.#records.delete(scope)
      counters.logins.granted++
      return { account }
    }
    if (this.#countFailure(scope) && lastFailureSaysLocked) return this.#locked(scope)
    if (reason === 'no-password') {
      counters.logins.noPassword++
      return { denied: 'no-password' }
    }
    counters.logins.wrongCredentials++
    return { denied: 'wrong-credentials' }
  }

  /** Returns how long an account will stay locked, in milliseconds; 0 if it isn't locked. */
  lockedForMs(account: StorageAccount): number {
    return this.#waitOf(this.#scopeOf(account))
  }

  lock(account: StorageAccount): void {
    const scope = this.#scopeOf(account)
    if (scope !== undefined) this.#lock(scope)
  }

  unlock(account: StorageAccount): void {
    const scope = this.#scopeOf(account)
    if (scope !== undefined) this.#records.delete(scope)
  }

  failuresOf(account: StorageAccount): number {
    return this.#recentFailures(this.#scopeOf(account) ?? '').length
  }

  clear(): void {
    this.#records.clear()
  }

  /**
   * Returns the failure scope of an account. `choices.failureScope` needs a failed login, so this method invents one:
   * a wrong password at the token endpoint, with an empty IP address.
   */
  #scopeOf({ email }: StorageAccount): string | undefined {
    const { choices } = this.#tools
    return choices.failureScope({
      email: choices.normalizeEmail(email),
      reason: 'wrong-password',
      place: 'token-endpoint',
      address: '',
    })
  }

  #waitOf(scope: string | undefined): number {
    const { lockedUntil = -Infinity } = this.#records.get(scope ?? '') ?? {}
    return scope === undefined ? 0 : Math.max(0, lockedUntil - this.#tools.clock.now())
  }

  #recordOf(scope: string): FailureRecord {
    const record = this.#records.get(scope) ?? { failedAt: [], lockedUntil: -Infinity }
    this.#records.set(scope, record)
    return record
  }

  #lock(scope: string): void {
    this.#recordOf(scope).lockedUntil = this.#tools.clock.now() + LOCK_MS
  }

  #recentFailures(scope: string): number[] {
    const { clock, choices } = this.#tools
    const failedAt = this.#records.get(scope)?.failedAt ?? []
    return failedAt.filter((at) => clock.now() - at < choices.lock.failureWindowMs)
  }

  /** Counts a failed login. Returns whether this failure locks the scope. */
  #countFailure(scope: string | undefined): boolean {
    if (scope === undefined) return false
    const record = this.#recordOf(scope)
    const now = this.#tools.clock.now()
    record.failedAt = [...this.#recentFailures(scope), now]
    if (record.failedAt.length < FAILURES_TO_LOCK) return false
    record.failedAt = []
    this.#lock(scope)
    return true
  }

  #locked(scope: string | undefined): LoginOutcome {
    const { choices, counters } = this.#tools
    counters.logins.locked++
    if (choices.lock.attemptsExtend && scope !== undefined) this.#lock(scope)
    return { denied: 'locked', facts: { waitMs: this.#waitOf(scope) } }
  }
}

function reasonFor(account: StorageAccount | undefined): 'unknown-email' | 'no-password' | 'wrong-password' {
  if (!account) return 'unknown-email'
  return account.password === undefined ? 'no-password' : 'wrong-password'
}
