import { ConnectionError, OptionsError } from '../core/errors.ts'
import type { ClientCore } from './core.ts'

/** Functions that stand beside the client, so that who does not use them does not load them, reach it here. */
const cores = new WeakMap<object, ClientCore>()

export function keepCore(client: object, core: ClientCore): void {
  cores.set(client, core)
}

/** @throws ConnectionError when the client is closed. */
export function coreOf(client: object, operation: string): ClientCore {
  const core = cores.get(client)
  if (core === undefined) {
    throw new OptionsError('client', 'was not made by this package.', 'Give what createClient gave.')
  }
  checkOpen(core, operation)
  return core
}

export function checkOpen(core: ClientCore, operation: string): void {
  if (core.closed) throw closedError(operation)
}

/** What calls meet once their client is closed. */
export function closedError(operation?: string): ConnectionError {
  return new ConnectionError(
    `${operation === undefined ? '' : `${operation}: `}the client is closed. Make another one for further calls.`,
    { phase: 'connect', sent: 'no' },
    { operation },
  )
}
