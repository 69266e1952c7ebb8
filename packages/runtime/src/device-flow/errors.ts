import {
  AuthorizationError,
  type ConcordErrorOptions,
  DeadlineError,
  type TimeSpent,
} from '../core/errors.ts'

export const KEY_MAY_BE_LOST =
  ' The service may have issued a key that did not arrive, and it issues a key only once. ' +
  'If the user approved, look in the account for an unused key, and remove it.'

/** A device authorization failed, or its key could not be saved. @public */
export class DeviceAuthorizationError extends AuthorizationError {
  static override readonly errorName: string = 'DeviceAuthorizationError'

  /** The service's own error code, if it sent one. */
  declare readonly serviceError?: string
  /**
   * Whether the service may have issued a key that didn't arrive. If true, look in the user's account for an unused
   * key, and remove it. Such a key can't be recovered, because the service sends each key only once.
   */
  readonly keyMayBeLost: boolean

  constructor(
    outcome: 'authorization-denied' | 'authorization-expired' | 'authorization-failed',
    message: string,
    details: { readonly serviceError?: string | undefined; readonly keyMayBeLost?: boolean } = {},
    options: ConcordErrorOptions = {},
  ) {
    super(outcome, message, options)
    if (details.serviceError !== undefined) this.serviceError = details.serviceError
    this.keyMayBeLost = details.keyMayBeLost ?? false
  }
}

/** The deadline of a device authorization passed before the key arrived. @public */
export class DeviceDeadlineError extends DeadlineError {
  static override readonly errorName = 'DeviceDeadlineError'

  /** See {@link DeviceAuthorizationError.keyMayBeLost}. */
  readonly keyMayBeLost: boolean

  constructor(
    message: string,
    time: TimeSpent & { readonly keyMayBeLost: boolean },
    options: ConcordErrorOptions = {},
  ) {
    super(message, time, options)
    this.keyMayBeLost = time.keyMayBeLost
  }
}

/**
 * The key was received, but `save` failed. The service doesn't issue the key again, so you can get it only from
 * {@link takeKey}.
 *
 * @public
 */
export class KeyNotSavedError extends DeviceAuthorizationError {
  static override readonly errorName = 'KeyNotSavedError'

  /** The part of the key that may be shown, if the service sent one. */
  declare readonly keyPrefix?: string
  readonly #key: string

  constructor(key: string, keyPrefix: string | undefined, options: ConcordErrorOptions) {
    super(
      'authorization-failed',
      'The key was received, but `save` failed, so the key is not stored. The service will not issue it again. ' +
        'Call takeKey() on this error and store the key, or remove it in the account and start again.',
      {},
      options,
    )
    if (keyPrefix !== undefined) this.keyPrefix = keyPrefix
    this.#key = key
  }

  /** Returns the key. The key isn't a property of this error, and logging the error doesn't show it. */
  takeKey(): string {
    return this.#key
  }
}
