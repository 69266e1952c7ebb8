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
 * that hand out the key exactly once.
 *
 * One poller asks for the key, no sooner than the interval after the answer before. Failed polls are survived while
 * the codes live, at growing distances (RFC 8628, section 3.5). When an answer is lost that may have held the key,
 * polling goes on: an answer of `authorization_pending` proves that nothing was lost. If the service shows no key
 * then, the error says that a new code is needed and that a key may exist which nobody has (`keyMayBeLost`).
 *
 * The device code and the key are in no error, event or inspection.
 *
 * @throws DeviceAuthorizationError: `authorization-denied`, `authorization-expired`, or `authorization-failed` when
 * the service says something else.
 * @throws KeyNotSavedError when `save` fails; the key is still to be had from it.
 * @throws DeviceDeadlineError when the deadline comes first, and the signal's own reason on abort.
 * @throws ContractDriftError when the service's answers lack what the flow depends on.
 * @throws OptionsError when a function is missing.
 * @public
 */
export async function authorizeDevice(options: DeviceFlowOptions): Promise<AuthorizedKey> {
  for (const name of ['requestCode', 'pollToken', 'onPrompt', 'save'] as const) {
    if (typeof options[name] !== 'function')
      throw new OptionsError(name, `\`${name}\` must be a function.`, REMEDIES[name])
  }
  // Loaded by those who ask for a key.
  const { DeviceFlow } = await load(import('./run.ts'), options)
  return new DeviceFlow(options).run()
}
