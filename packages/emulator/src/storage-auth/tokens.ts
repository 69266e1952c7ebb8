import { createHash } from 'node:crypto'

import { randomUuid } from '../core/random.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { StorageTools } from './choices.ts'
import { REFRESH_TOKEN_MS } from './limits.ts'
import type { AccessToken, Family, RefreshToken, StorageAccount } from './model.ts'
import type { Signer } from './signer.ts'

export interface TokenPair {
  readonly account: StorageAccount
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInSeconds: number
}

type RefreshDenial = 'unknown' | 'expired' | 'revoked'

interface TokenTools extends StorageTools {
  readonly signer: Signer
  readonly checkMove: TransitionCheck
  readonly accessTokenSeconds: number
}

function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16)
}

export class Tokens {
  readonly #tools: TokenTools
  readonly #access = new Map<string, AccessToken>()
  readonly #refresh = new Map<string, RefreshToken>()

  constructor(tools: TokenTools) {
    this.#tools = tools
  }

  issue(account: StorageAccount): TokenPair {
    return this.#pair(this.#newRefreshToken({ id: randomUuid(this.#tools.random), account }))
  }

  /** Returns the account that a refresh token belongs to, even if the token is revoked or expired. */
  ownerOf(refreshToken: string): StorageAccount | undefined {
    return this.#refresh.get(refreshToken)?.family.account
  }

  /** Exchanges a refresh token for a new pair, or returns why the token isn't valid. */
  refresh(refreshToken: string): TokenPair | RefreshDenial {
    const { choices, counters } = this.#tools
    const token = this.#refresh.get(refreshToken)
    const problem = this.#problemOf(token)
    if (problem || !token) {
      counters.refreshes[problem ?? 'unknown']++
      if (token) token.denials++
      if (token && problem === 'revoked' && choices.session.reuseEnds) this.#endSession(token.family)
      return problem ?? 'unknown'
    }
    counters.refreshes.granted++
    this.#revoke(token)
    if (!choices.session.refreshKeepsAccessTokens) this.#dropAccess(token.family)
    token.successor = this.#newRefreshToken(token.family)
    return this.#pair(token.successor)
  }

  findAccess(accessToken: string): StorageAccount | undefined {
    const token = this.#access.get(accessToken)
    return token && !this.isExpired(token) ? token.family.account : undefined
  }

  /** Expires the valid tokens of an account, or of all accounts if `account` is omitted. Returns how many expired. */
  expire(kind: 'access' | 'refresh', account?: StorageAccount): number {
    const tokens =
      kind === 'access' ? this.accessTokens() : this.refreshTokens().filter(({ state }) => state === 'valid')
    const expiring = tokens.filter(
      (token) => !this.isExpired(token) && (account === undefined || token.family.account === account),
    )
    for (const token of expiring) token.expiresAt = this.#tools.clock.now()
    return expiring.length
  }

  isExpired({ expiresAt }: { expiresAt: number }): boolean {
    return this.#tools.clock.now() >= expiresAt
  }

  accessTokens(): AccessToken[] {
    return [...this.#access.values()]
  }

  refreshTokens(): RefreshToken[] {
    return [...this.#refresh.values()]
  }

  clear(): void {
    this.#access.clear()
    this.#refresh.clear()
  }

  #newRefreshToken(family: Family): RefreshToken {
    const { choices, random, clock } = this.#tools
    const text = choices.newIdentifier('refresh-token', random)
    const token: RefreshToken = {
      text,
      fingerprint: fingerprint(text),
      family,
      state: 'valid',
      issuedAt: clock.now(),
      expiresAt: clock.now() + REFRESH_TOKEN_MS,
      denials: 0,
    }
    this.#refresh.set(text, token)
    return token
  }

  #pair({ family, text: refreshToken }: RefreshToken): TokenPair {
    const { clock, random, choices, signer, accessTokenSeconds } = this.#tools
    const { account } = family
    const expiresAt = clock.now() + accessTokenSeconds * 1_000
    const claims = choices.accessTokenClaims({
      account,
      id: randomUuid(random),
      issuedAt: Math.floor(clock.now() / 1_000),
      expiresAt: Math.floor(expiresAt / 1_000),
    })
    const accessToken = signer.sign(claims)
    this.#access.set(accessToken, { text: accessToken, family, expiresAt })
    return { account, accessToken, refreshToken, expiresInSeconds: accessTokenSeconds }
  }

  #problemOf(token: RefreshToken | undefined): RefreshDenial | undefined {
    if (!token) return 'unknown'
    if (token.state === 'revoked') return 'revoked'
    return this.isExpired(token) ? 'expired' : undefined
  }

  #revoke(token: RefreshToken): void {
    token.state = this.#tools.checkMove(token.state, 'revoked')
  }

  #endSession(family: Family): void {
    for (const token of this.#refresh.values()) if (token.family === family) this.#revoke(token)
    this.#dropAccess(family)
  }

  #dropAccess(family: Family): void {
    for (const token of this.#access.values()) if (token.family === family) this.#access.delete(token.text)
  }
}
