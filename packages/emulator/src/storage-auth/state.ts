import { RateWindows } from '../core/rate-windows.ts'
import type { Handler } from '../core/service.ts'
import type { SharedTools } from '../core/service-module.ts'
import type { Specification } from '../core/specification.ts'
import { readTransitions } from '../core/transitions.ts'
import { Accounts } from './accounts.ts'
import type { StorageAuthChoices } from './choices.ts'
import { ApiKeys, Codes } from './credentials.ts'
import { RATE_WINDOW_MS } from './limits.ts'
import { Logins } from './logins.ts'
import { createCounters, type StorageAccount, type StorageCaller } from './model.ts'
import { Signer } from './signer.ts'
import { Tokens } from './tokens.ts'

export type StorageAuthHandler = Handler<StorageCaller>

export function createContext(
  choices: StorageAuthChoices,
  specification: Specification,
  accessTokenSeconds: number,
  { clock, random, log }: SharedTools,
) {
  const signer = new Signer(random)
  const shared = { clock, random, log, choices, counters: createCounters(), signer }
  const moves = (schema: string) => readTransitions(specification, schema)
  const accounts = new Accounts(shared)
  return {
    ...shared,
    accounts,
    logins: new Logins({ ...shared, accounts }),
    /** The requests to the token endpoints, by IP address. */
    requests: new RateWindows(clock, RATE_WINDOW_MS),
    tokens: new Tokens({ ...shared, checkMove: moves('RefreshToken'), accessTokenSeconds }),
    codes: new Codes({ ...shared, checkMove: moves('ExchangeCode') }),
    apiKeys: new ApiKeys({ ...shared, checkMove: moves('ApiKeyStatus') }),
  }
}

export type StorageAuthContext = ReturnType<typeof createContext>

export function showUser(account: StorageAccount): object {
  const { id, email, name, image = null, organizationId, role, workspaces } = account
  return { id, email, name, image, organizationId, role, workspaces }
}
