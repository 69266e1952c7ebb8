import type { Clock } from '../core/clock.ts'
import { OptionsError } from '../core/errors.ts'
import type { RetryEvent } from '../core/events.ts'
import { load } from '../core/async.ts'
import type { Duration } from '../core/option-checks.ts'

const REMEDIES = {
  requestCode: 'Pass a function that requests the codes from the service.',
  pollToken: 'Pass a function that requests the key from the service.',
  onPrompt: 'Pass a function that shows the address and the code to the user.',
  save: 'Pass a function that stores the key: the service shows it only once.',
} as const

/** The response to the request for a device code (RFC 8628, section 3.2). @public */
export interface DeviceCodeRecord {
  /** Secret. The code is used only for polling, and is never shown. */
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete?: string | undefined
  /** The lifetime of both codes, in seconds. */
  readonly expires_in: number
  /** The shortest time between two polls, in seconds. Default: 5, as in RFC 8628. */
  readonly interval?: number | undefined
}

/** The information to show the user. It contains no secret. @public */
export interface DevicePrompt {
  readonly user_code: string
  readonly verification_uri: string
  /** The URL of the same page with the code filled in. Prefer this URL if it is present. */
  readonly verification_uri_complete?: string
  readonly expires_in: number
  /**
   * The time when the codes expire, in milliseconds since the Unix epoch. Their lifetime begins when the response
   * with the codes arrives.
   */
  readonly expiresAtMs: number
}

/**
 * Gets an API key that the user approves in a browser. This is the device authorization grant (RFC 8628), for
 * services that issue the key exactly once.
 *
 * The client polls the service for the key. Failed polls are retried while the codes are valid, with growing delays
 * (RFC 8628, section 3.5). Polling also continues after the loss of a response that may have contained the key. A
 * later `authorization_pending`, `slow_down` or `access_denied` proves that no key was lost. If neither the key nor
 * this proof arrives, the error has `keyMayBeLost: true`.
 *
 * Errors, events and the output of `inspect` never contain the device code or the key.
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
 * @throws DeviceAuthorizationError with the code `authorization-denied` if the user denies the authorization,
 * `authorization-expired` if the codes expire, or `authorization-failed` if the authorization fails in another way.
 * @throws KeyNotSavedError if `save` fails; its `takeKey()` returns the key.
 * @throws DeviceDeadlineError if the deadline passes before the key arrives. An abort throws the signal's own reason.
 * @throws ContractDriftError if the response with the codes lacks a required field or contains an invalid value.
 * @throws OptionsError if an option is missing, unknown or unusable.
 * @public
 */
export async function authorizeDevice(options: DeviceFlowOptions): Promise<AuthorizedKey> {
  for (const name of ['requestCode', 'pollToken', 'onPrompt', 'save'] as const) {
    if (typeof (options as DeviceFlowOptions | undefined)?.[name] !== 'function')
      throw new OptionsError(name, 'must be a function.', REMEDIES[name])
  }
  const { DeviceFlow } = await load(import('./run.ts'), options)
  return new DeviceFlow(options).run()
}

/** The response to a poll for the key. @public */
export interface DeviceTokenResponse {
  /**
   * The error code that the service returns instead of a key. The code is defined by RFC 8628 (section 3.5) or by the
   * service.
   */
  readonly error: string | null | undefined
  /** The key. A key means success, whatever `error` says. */
  readonly key: string | null | undefined
  /** A part of the key that may be shown. */
  readonly keyPrefix?: string | null | undefined
}

/** The state after a poll that returned no key. @public */
export interface DeviceUpdate {
  readonly state: 'pending'
  readonly polls: number
  /** The time since the response with the codes was received. */
  readonly elapsedMs: number
  /** The time until the next poll; `undefined` if the codes expire before that. */
  readonly nextPollInMs: number | undefined
  readonly expiresInMs: number
  /**
   * Whether the service may have issued a key that didn't arrive. Also true in the last update if an abort or the
   * deadline interrupted a poll. Becomes false again after a later `authorization_pending` or `slow_down`.
   */
  readonly keyMayBeLost: boolean
  /** Why the last poll failed, if it did. */
  readonly pollError?: unknown
}

/** Options of `authorizeDevice`. @public */
export interface DeviceFlowOptions {
  /** Asks the service for the codes. */
  readonly requestCode: (signal: AbortSignal) => Promise<DeviceCodeRecord>
  /**
   * Asks the service once for the key. The function must not retry. If the response contains an error code such as
   * `authorization_pending`, `access_denied` or `expired_token`, the function must return the response rather than throw,
   * whatever the HTTP status.
   */
  readonly pollToken: (deviceCode: string, signal: AbortSignal) => Promise<DeviceTokenResponse>
  /**
   * Shows the user where to go and what to type. Polling does not wait for this function. If the function throws an
   * error or rejects, the authorization ends with that error.
   */
  readonly onPrompt: (prompt: DevicePrompt) => void | Promise<void>
  /**
   * Stores the key. This function is called once, as soon as the key arrives. If it returns a promise, the promise is
   * awaited. Neither an abort nor the deadline interrupts the function.
   */
  readonly save: (key: string, about: { readonly keyPrefix: string | undefined }) => void | Promise<void>
  /**
   * Called after every poll that returned no key. Called once more if an abort or the deadline ends the authorization
   * and a key may be lost.
   */
  readonly onUpdate?: ((update: DeviceUpdate) => void) | undefined
  /** The time limit for the whole authorization. Default: the lifetime of the codes. */
  readonly deadline?: Duration | undefined
  /**
   * Aborting this signal ends the authorization at once, with the signal's own reason. If the service has issued the
   * key, but the response has not arrived yet, the key is lost. `onUpdate` then reports `keyMayBeLost: true`.
   */
  readonly signal?: AbortSignal | undefined
  /** Default: the system clock. */
  readonly clock?: Clock | undefined
  /** Receives a `retry` event for each failed poll that is repeated. */
  readonly emit?: ((event: RetryEvent) => void) | undefined
  /** The operationId of the poll, for errors and events. */
  readonly operation?: string | undefined
}

/** A key that was received and saved. You can pass this object to a client as the source of a credential. @public */
export interface AuthorizedKey {
  /** The part of the key that may be shown, if the service sent one. */
  readonly keyPrefix: string | undefined
  /** Returns the key. The key isn't a property of this object, and logging the object doesn't show it. */
  get(): string
}
