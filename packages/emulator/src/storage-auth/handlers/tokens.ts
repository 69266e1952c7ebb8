import { success, type Reply } from '../../core/reply.ts'
import { jsonOf, type StorageAuthContext, type StorageAuthHandler } from '../state.ts'
import type { StorageAccount } from '../model.ts'
import { deny } from '../denials.ts'
import { showUser } from '../shapes.ts'
import type { TokenPair } from '../tokens.ts'

/** POST /auth/token */
function createToken({ choices, logins, tokens }: StorageAuthContext): StorageAuthHandler {
  return {
    async handle(call) {
      const { email, password } = jsonOf<{ email: string; password: string }>(call)
      const address = choices.addressOf(call)
      const outcome = logins.attempt({ email, password, place: 'token-endpoint', address })
      if ('account' in outcome) return granted(await tokens.issue(outcome.account))
      return outcome.denied === 'locked'
        ? deny(choices, 'locked', { waitMs: outcome.waitMs })
        : deny(choices, outcome.denied)
    },
  }
}

/** POST /auth/token/refresh */
function refreshToken(context: StorageAuthContext): StorageAuthHandler {
  const { choices, tokens, counters } = context
  return {
    async handle(call) {
      const { refresh_token: text } = jsonOf<{ refresh_token: string }>(call)
      const locked = choices.lock.stopsRefresh ? denyLocked(context, tokens.ownerOf(text)) : undefined
      if (locked) {
        counters.refreshes.locked++
        return locked
      }
      const outcome = tokens.refresh(text)
      return typeof outcome === 'string'
        ? deny(choices, 'refresh-token-rejected', { cause: outcome })
        : granted(await outcome)
    },
  }
}

/** POST /auth/token/exchange */
function exchangeCode(context: StorageAuthContext): StorageAuthHandler {
  const { choices, tokens, codes, counters } = context
  return {
    async handle(call) {
      const { code } = jsonOf<{ code: string }>(call)
      const locked = choices.lock.stopsExchange ? denyLocked(context, codes.ownerOf(code)) : undefined
      if (locked) {
        counters.exchanges.locked++
        return locked
      }
      const outcome = codes.use(code)
      if (typeof outcome === 'string') {
        counters.exchanges[outcome]++
        return deny(choices, 'code-rejected', { cause: outcome })
      }
      counters.exchanges.granted++
      return granted(await tokens.issue(outcome))
    },
  }
}

function denyLocked(
  { choices, logins }: StorageAuthContext,
  account: StorageAccount | undefined,
): Reply | undefined {
  const waitMs = account ? logins.lockedForMs(account) : 0
  return waitMs > 0 ? deny(choices, 'locked', { waitMs }) : undefined
}

function granted(pair: TokenPair): Reply {
  return success(200, pair.account, {
    access_token: pair.accessToken,
    refresh_token: pair.refreshToken,
    expires_in: pair.expiresInSeconds,
    user: showUser(pair.account),
  })
}

export function tokenHandlers(context: StorageAuthContext): Record<string, StorageAuthHandler> {
  return {
    createToken: createToken(context),
    refreshToken: refreshToken(context),
    exchangeCode: exchangeCode(context),
  }
}
