import { ConnectionError, OptionsError } from '../core/errors.ts'
import type { OperationDescriptor } from '../core/operation.ts'
import type { ClientCore } from './core.ts'
import { type Plan, prepare } from './prepare.ts'

/** What a client is made of. */
export interface Internals {
  readonly core: ClientCore
  readonly plans: WeakMap<OperationDescriptor, Plan>
}

/** Functions that stand beside the client, so that who does not use them does not load them, reach it here. */
const internals = new WeakMap<object, Internals>()

export function keepInternals(client: object, core: ClientCore): Internals {
  const kept = { core, plans: new WeakMap<OperationDescriptor, Plan>() }
  internals.set(client, kept)
  return kept
}

/** @throws ConnectionError when the client is closed. */
export function coreOf(client: object, operation: string): ClientCore {
  const { core } = internalsOf(client)
  checkOpen(core, operation)
  return core
}

/** The plan of an operation; made once for each client. @throws OptionsError */
export function planOf(client: object, operation: OperationDescriptor): Plan {
  return planIn(internalsOf(client), operation)
}

/** @see planOf */
export function planIn({ core, plans }: Internals, operation: OperationDescriptor): Plan {
  let plan = plans.get(operation)
  if (plan === undefined) {
    plan = prepare(core, operation)
    plans.set(operation, plan)
  }
  return plan
}

function internalsOf(client: object): Internals {
  const found = internals.get(client)
  if (found !== undefined) return found
  throw new OptionsError(
    'client',
    '`client` was not made by this package.',
    'Pass the return value of createClient().',
  )
}

export function checkOpen(core: ClientCore, operation: string): void {
  if (core.closed) throw clientClosed(operation)
}

/** The one error of everything that is asked of a closed client. @public */
export function clientClosed(operation?: string): ConnectionError {
  return new ConnectionError(
    `${operation === undefined ? '' : `${operation}: `}the client is closed. Make another one for further calls.`,
    { phase: 'connect', sent: 'no' },
    { operation },
  )
}
