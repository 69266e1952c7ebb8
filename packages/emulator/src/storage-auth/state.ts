import { RateWindows } from '../core/rate-windows.ts'
import type { Handler } from '../core/service.ts'
import type { SharedTools } from '../core/service-module.ts'
import type { Specification } from '../core/specification.ts'
import { readTransitions } from '../core/transitions.ts'
import { Accounts } from './accounts.ts'
import type { StorageAuthChoices, StorageTools } from './choices.ts'
import { ApiKeys, Codes } from './credentials.ts'
import { RATE_WINDOW_MS } from './limits.ts'
import { Logins } from './logins.ts'
import { createCounters, type StorageAccount, type StorageCaller } from './model.ts'
import { Signer } from './signer.ts'
import { Tokens } from './tokens.ts'

/** The state of the storage authentication service, for its handlers and its control interface. */
export interface StorageAuthContext extends StorageTools {
  readonly accounts: Accounts
  readonly logins: Logins
  readonly signer: Signer
  readonly tokens: Tokens
  readonly codes: Codes
  readonly apiKeys: ApiKeys
  /** The requests to the token endpoints, by IP address. */
  readonly requests: RateWindows
}

export type StorageAuthHandler = Handler<StorageCaller>

export interface StateSettings {
  readonly choices: StorageAuthChoices
  readonly specification: Specification
  readonly accessTokenSeconds: number
}

export function createContext(settings: StateSettings, tools: SharedTools): StorageAuthContext {
  const { choices, specification, accessTokenSeconds } = settings
  const { clock, random } = tools
  const signer = new Signer(random)
  const shared = { clock, random, choices, counters: createCounters(), signer }
  const moves = (schema: string) => readTransitions(specification, schema)
  const accounts = new Accounts(shared)
  return {
    ...shared,
    accounts,
    logins: new Logins({ ...shared, accounts }),
    requests: new RateWindows(clock, RATE_WINDOW_MS),
    tokens: new Tokens({ ...shared, checkMove: moves('RefreshToken'), accessTokenSeconds }),
    codes: new Codes({ ...shared, checkMove: moves('ExchangeCode') }),
    apiKeys: new ApiKeys({ ...shared, checkMove: moves('ApiKeyStatus') }),
  }
}

/** Represents a user. `image` is null for a user without an image. */
export function showUser(account: StorageAccount): object {
  const { id, email, name, image = null, organizationId, role, workspaces } = account
  return { id, email, name, image, organizationId, role, workspaces }
}
