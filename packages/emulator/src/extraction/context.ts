import type { Clock } from '../core/clock.ts'
import { EmulatorError } from '../core/errors.ts'
import type { Call, Handler } from '../core/service.ts'
import type { Accounts } from './accounts.ts'
import type { Blueprints } from './blueprints.ts'
import type { ExtractionChoices } from './choices.ts'
import type { Devices } from './devices.ts'
import type { Jobs } from './jobs.ts'
import type { Account } from './model.ts'
import type { Optimizations } from './optimizer/optimizations.ts'

/** Everything that the handlers of the extraction service share. */
export interface ExtractionContext {
  clock: Clock
  choices: ExtractionChoices
  accounts: Accounts
  blueprints: Blueprints
  devices: Devices
  jobs: Jobs
  optimizations: Optimizations
  allowHttpWebhooks: boolean
}

/** A handler of the extraction service. */
export type ExtractionHandler = Handler<Account>

/** Who calls an operation that needs a key. */
export function callerOf({ caller, operation }: Call<Account>): Account {
  if (!caller) throw new EmulatorError('handler-failed', `${operation.operationId} was called without a key.`)
  return caller
}
