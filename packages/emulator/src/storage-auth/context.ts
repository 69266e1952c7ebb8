import type { Clock } from '../core/clock.ts'
import { EmulatorError } from '../core/errors.ts'
import type { Call, Handler } from '../core/service.ts'
import type { Accounts } from './accounts.ts'
import type { ApiKeys } from './api-keys.ts'
import type { StorageAuthChoices } from './choices.ts'
import type { Codes } from './codes.ts'
import type { Counters } from './counters.ts'
import type { Logins } from './logins.ts'
import type { StorageCaller } from './model.ts'
import type { Signer } from './signer.ts'
import type { TokenRate } from './token-rate.ts'
import type { Tokens } from './tokens.ts'

/** Everything that the handlers of the storage authentication service share. */
export interface StorageAuthContext {
  clock: Clock
  choices: StorageAuthChoices
  accounts: Accounts
  logins: Logins
  signer: Signer
  tokens: Tokens
  codes: Codes
  apiKeys: ApiKeys
  rate: TokenRate
  counters: Counters
}

/** A handler of the storage authentication service. */
export type StorageAuthHandler = Handler<StorageCaller>

/** Who calls an operation that needs an access token. */
export function callerOf({ caller, operation }: Call<StorageCaller>): StorageCaller {
  if (!caller)
    throw new EmulatorError('handler-failed', `${operation.operationId} was called without an access token.`)
  return caller
}

/** The body of a request that the contract has accepted as JSON. */
export function jsonOf<T>({ body }: Call<StorageCaller>): T {
  return (body.kind === 'json' ? body.value : {}) as T
}
