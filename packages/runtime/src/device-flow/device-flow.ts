import { OptionsError } from '../core/errors.ts'
import { load } from '../core/load.ts'
import type { AuthorizedKey, DeviceFlowOptions } from './options.ts'

const REMEDIES = {
  requestCode: 'Pass a function that requests the codes from the service.',
  pollToken: 'Pass a function that requests the key from the service.',
  onPrompt: 'Pass a function that shows the address and the code to the user.',
  save: 'Pass a function that stores the key: the service shows it only once.',
} as const

/**
 * Gets an API key through the user's approval in a browser: the device authorization grant (RFC 8628), for services
 * that issue the key exactly once.
 *
 * One poller asks for the key, and waits at least the interval after each answer. Failed polls are retried while the
 * codes are valid, with growing delays (RFC 8628, section 3.5). If an answer is lost that may have contained the key,
 * polling continues: `authorization_pending` proves that nothing was lost. If the service returns no key after that, the
 * error says that a new code is needed, and that a key may exist that no one has (`keyMayBeLost`).
 *
 * Errors, events and inspections never contain the device code or the key.
 *
 * @example
 * ```ts
 * const key = await authorizeDevice({
 *   requestCode: (signal) => requestCode({ signal }),
 *   pollToken: (deviceCode, signal) => pollToken(deviceCode, { signal }),
 *   onPrompt: ({ verification_uri, user_code }) => console.log(`Open ${verification_uri} and enter ${user_code}`),
 *   save: (key) => vault.write('api-key', key),
 * })
 * ```
 *
 * @throws DeviceAuthorizationError with the code `authorization-denied`, `authorization-expired`, or
 * `authorization-failed` for any other answer of the service.
 * @throws KeyNotSavedError if `save` fails; its `takeKey()` returns the key.
 * @throws DeviceDeadlineError if the deadline comes first, and the signal's own reason on abort.
 * @throws ContractDriftError if the service's answers lack fields that the flow depends on.
 * @throws OptionsError if a function is missing.
 * @public
 */
export async function authorizeDevice(options: DeviceFlowOptions): Promise<AuthorizedKey> {
  for (const name of ['requestCode', 'pollToken', 'onPrompt', 'save'] as const) {
    if (typeof options[name] !== 'function')
      throw new OptionsError(name, `\`${name}\` must be a function.`, REMEDIES[name])
  }
  // Only a flow that runs needs this code; the errors and types above it are needed earlier.
  const { DeviceFlow } = await load(import('./run.ts'), options)
  return new DeviceFlow(options).run()
}
