import type { StorageAuthContext } from './context.ts'
import type { StorageAuthState } from './control.ts'
import { copyCounters } from './counters.ts'

/** Copies what the service knows, without secrets. */
export function readState(context: StorageAuthContext): StorageAuthState {
  const { clock, accounts, logins, tokens, codes, apiKeys, rate, counters } = context
  const state = {
    now: clock.now(),
    accounts: accounts.all().map((account) => ({
      id: account.id,
      email: account.email,
      hasPassword: account.password !== undefined,
      failedLogins: logins.failuresOf(account),
      lockedForMs: logins.lockedForMs(account),
    })),
    accessTokens: accounts.all().map((account) => {
      const own = tokens.accessTokens().filter(({ family }) => family.account === account)
      const expired = own.filter(tokens.isExpired).length
      return { email: account.email, valid: own.length - expired, expired }
    }),
    refreshTokens: tokens.refreshTokens().map((token) => ({
      fingerprint: token.fingerprint,
      email: token.family.account.email,
      state: token.state === 'valid' && tokens.isExpired(token) ? 'expired' : token.state,
      issuedAt: token.issuedAt,
      expiresAt: token.expiresAt,
      successor: token.successor?.fingerprint,
      refusals: token.refusals,
    })),
    exchangeCodes: codes.all().map((code) => ({
      email: code.account.email,
      state: code.state === 'issued' && clock.now() > code.expiresAt ? 'expired' : code.state,
      expiresAt: code.expiresAt,
    })),
    apiKeys: apiKeys.all().map((apiKey) => ({
      id: apiKey.id,
      email: apiKey.owner.email,
      name: apiKey.name,
      revoked: apiKey.revoked,
      createdAt: apiKey.createdAt,
      expiresAt: apiKey.expiresAt,
      lastUsedAt: apiKey.lastUsedAt,
      organizations: apiKey.organizations,
    })),
    tokenRequests: rate.counts(),
    counters: copyCounters(counters),
  }
  // A copy through JSON: what is absent stays absent, and nobody can change the service through it.
  return JSON.parse(JSON.stringify(state)) as StorageAuthState
}
