import { success, type Reply } from '../../core/reply.ts'
import { jsonOf } from '../../core/service.ts'
import { deny } from '../denials.ts'
import type { StorageAccount } from '../model.ts'
import { showUser, type StorageAuthContext, type StorageAuthHandler } from '../state.ts'
import type { TokenPair } from '../tokens.ts'

export function tokenHandlers(context: StorageAuthContext): Record<string, StorageAuthHandler> {
  const { choices, logins, tokens, codes, counters } = context
  return {
    createToken: {
      handle(call) {
        const { email, password } = jsonOf<{ email: string; password: string }>(call)
        const address = choices.addressOf(call)
        const outcome = logins.attempt({ email, password, place: 'token-endpoint', address })
        return 'account' in outcome
          ? granted(tokens.issue(outcome.account))
          : deny(choices, outcome.denied, outcome.facts)
      },
    },
    refreshToken: {
      handle(call) {
        const { refresh_token: text } = jsonOf<{ refresh_token: string }>(call)
        const locked = denyLocked('refresh', tokens.ownerOf(text), context)
        if (locked) {
          counters.refreshes.locked++
          return locked
        }
        const outcome = tokens.refresh(text)
        return typeof outcome === 'string'
          ? deny(choices, 'refresh-token-rejected', { cause: outcome })
          : granted(outcome)
      },
    },
    exchangeCode: {
      handle(call) {
        const { code } = jsonOf<{ code: string }>(call)
        const locked = denyLocked('exchange', codes.ownerOf(code), context)
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
        return granted(tokens.issue(outcome))
      },
    },
  }
}

function denyLocked(
  stopped: 'refresh' | 'exchange',
  account: StorageAccount | undefined,
  { choices, logins }: StorageAuthContext,
): Reply | undefined {
  if (!account || !choices.lock.stops.includes(stopped)) return undefined
  const waitMs = logins.lockedForMs(account)
  return waitMs > 0 ? deny(choices, 'locked', { waitMs }) : undefined
}

function granted({ account, accessToken, refreshToken, expiresInSeconds }: TokenPair): Reply {
  return success(200, account, {
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: expiresInSeconds,
    user: showUser(account),
  })
}
