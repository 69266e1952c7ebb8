import { createHash } from 'node:crypto'

import type { Clock } from '../core/clock.ts'
import { randomUuid, type RandomSource } from '../core/random.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { StorageAuthChoices } from './choices.ts'
import type { Counters } from './counters.ts'
import { REFRESH_TOKEN_MS } from './limits.ts'
import type { AccessToken, Family, RefreshToken, StorageAccount } from './model.ts'
import type { Signer } from './signer.ts'

/** Two tokens that were issued together. */
export interface TokenPair {
  account: StorageAccount
  accessToken: string
  refreshToken: string
  expiresInSeconds: number
}

/** Why a refresh token is refused. */
export type RefreshRefusal = 'unknown' | 'expired' | 'revoked'

/** The tokens that were issued. */
export interface Tokens {
  /** Begins a session. */
  issue(account: StorageAccount): Promise<TokenPair>
  /** Whose refresh token this is, whatever its state. */
  ownerOf(refreshToken: string): StorageAccount | undefined
  /** Takes a refresh token for a new pair. The old one is revoked before anything is waited for. */
  refresh(refreshToken: string): Promise<TokenPair> | RefreshRefusal
  /** Whom an access token stands for; nothing where it is not valid. */
  findAccess(accessToken: string): StorageAccount | undefined
  /** Lets access tokens expire at once: those of an account, or all. Answers how many did. */
  expireAccess(account?: StorageAccount): number
  /** The same for refresh tokens. */
  expireRefresh(account?: StorageAccount): number
  isExpired(token: { expiresAt: number }): boolean
  accessTokens(): AccessToken[]
  refreshTokens(): RefreshToken[]
  clear(): void
}

/** Tells tokens apart where they must not be shown. */
export function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16)
}

/** Makes an empty set of tokens. */
export function createTokens(parts: {
  clock: Clock
  random: RandomSource
  choices: StorageAuthChoices
  counters: Counters
  signer: Signer
  checkMove: TransitionCheck
  accessTokenSeconds: number
}): Tokens {
  const { clock, random, choices, counters, signer, checkMove, accessTokenSeconds } = parts
  const access = new Map<string, AccessToken>()
  const refresh = new Map<string, RefreshToken>()

  const isExpired = ({ expiresAt }: { expiresAt: number }) => clock.now() >= expiresAt

  function newRefreshToken(family: Family): RefreshToken {
    const text = choices.newIdentifier('refresh-token', random)
    const token: RefreshToken = {
      text,
      fingerprint: fingerprint(text),
      family,
      state: 'valid',
      issuedAt: clock.now(),
      expiresAt: clock.now() + REFRESH_TOKEN_MS,
      refusals: 0,
    }
    refresh.set(text, token)
    return token
  }

  async function pair(token: RefreshToken): Promise<TokenPair> {
    const { family } = token
    const expiresAt = clock.now() + accessTokenSeconds * 1_000
    const claims = choices.accessTokenClaims({
      account: family.account,
      id: randomUuid(random),
      issuedAt: Math.floor(clock.now() / 1_000),
      expiresAt: Math.floor(expiresAt / 1_000),
    })
    const text = await signer.sign(claims)
    access.set(text, { text, family, expiresAt })
    return {
      account: family.account,
      accessToken: text,
      refreshToken: token.text,
      expiresInSeconds: accessTokenSeconds,
    }
  }

  function revoke(token: RefreshToken): void {
    checkMove(token.state, 'revoked')
    token.state = 'revoked'
  }

  function endSession(family: Family): void {
    for (const token of refresh.values()) if (token.family === family) revoke(token)
    dropAccess(family)
  }

  function dropAccess(family: Family): void {
    for (const token of access.values()) if (token.family === family) access.delete(token.text)
  }

  function refuse(token: RefreshToken | undefined): RefreshRefusal | undefined {
    if (!token) return 'unknown'
    if (token.state === 'revoked') return 'revoked'
    return isExpired(token) ? 'expired' : undefined
  }

  function expire(
    tokens: Iterable<{ family: Family; expiresAt: number }>,
    account: StorageAccount | undefined,
  ): number {
    let count = 0
    for (const token of tokens)
      if (!isExpired(token) && (account === undefined || token.family.account === account)) {
        token.expiresAt = clock.now()
        count++
      }
    return count
  }

  return {
    issue: (account) => pair(newRefreshToken({ id: randomUuid(random), account })),
    ownerOf: (text) => refresh.get(text)?.family.account,
    refresh(text) {
      const token = refresh.get(text)
      const refusal = refuse(token)
      if (refusal || !token) {
        counters.refreshes[refusal ?? 'unknown']++
        if (token) token.refusals++
        if (token && refusal === 'revoked' && choices.session.reuseEnds) endSession(token.family)
        return refusal ?? 'unknown'
      }
      counters.refreshes.granted++
      revoke(token)
      if (!choices.session.refreshKeepsAccessTokens) dropAccess(token.family)
      token.successor = newRefreshToken(token.family)
      return pair(token.successor)
    },
    findAccess(text) {
      const token = access.get(text)
      return token && !isExpired(token) ? token.family.account : undefined
    },
    expireAccess: (account) => expire(access.values(), account),
    expireRefresh: (account) =>
      expire(
        [...refresh.values()].filter(({ state }) => state === 'valid'),
        account,
      ),
    isExpired,
    accessTokens: () => [...access.values()],
    refreshTokens: () => [...refresh.values()],
    clear() {
      access.clear()
      refresh.clear()
    },
  }
}
