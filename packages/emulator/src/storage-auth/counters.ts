import type { StorageCounters } from './model.ts'

/** Counts the answers of the token endpoints. */
export interface Counters extends StorageCounters {
  clear(): void
}

/** Begins at zero. */
export function createCounters(): Counters {
  const zero = (): StorageCounters => ({
    logins: { granted: 0, wrongCredentials: 0, noPassword: 0, locked: 0 },
    refreshes: { granted: 0, unknown: 0, expired: 0, revoked: 0, locked: 0 },
    exchanges: { granted: 0, unknown: 0, expired: 0, used: 0, locked: 0 },
    rateLimited: 0,
  })
  const counters: Counters = { ...zero(), clear: () => void Object.assign(counters, zero()) }
  return counters
}

/** The numbers as they are at this moment. */
export function copyCounters({ logins, refreshes, exchanges, rateLimited }: Counters): StorageCounters {
  return { logins: { ...logins }, refreshes: { ...refreshes }, exchanges: { ...exchanges }, rateLimited }
}
