import {
  AuthorizationError,
  type ConcordErrorOptions,
  DeadlineError,
  type TimeSpent,
} from '../core/errors.ts'

/** The advice if a response that may have contained the key was lost. */
export const KEY_MAY_BE_LOST =
  ' A response that may have contained the key was lost, and the service issues a key only once. ' +
  'If the user approved, look in the account for an unused key, and remove it.'

/** A device authorization did not lead to a key. @public */
export class DeviceAuthorizationError extends AuthorizationError {
  static override readonly errorName: string = 'DeviceAuthorizationError'

  /** The service's own error code, if it sent one. */
  declare readonly serviceError?: string
  /**
   * Whether a response that may have contained the key was lost. The service issues a key only once, so look in the
   * account for a key that no one uses, and remove it.
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

/** The deadline of a device authorization came before the approval. @public */
export class DeviceDeadlineError extends DeadlineError {
  static override readonly errorName = 'DeviceDeadlineError'

  /** Whether a response that may have contained the key was lost; see {@link DeviceAuthorizationError.keyMayBeLost}. */
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
 * The key was received, but `save` failed. The service doesn't issue it again: {@link takeKey} is the only way to get it.
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

  /** Returns the key. Logs and properties of this error don't contain it. */
  takeKey(): string {
    return this.#key
  }
}
