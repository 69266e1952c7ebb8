import {
  AuthorizationError,
  type ConcordErrorOptions,
  DeadlineError,
  type TimeSpent,
} from '../core/errors.ts'

/** What to do when an answer that may have held the key is lost. */
export const KEY_MAY_BE_LOST =
  ' An answer that may have contained the key was lost, and the service hands a key out only once. ' +
  'If the user approved, look in the account for a key that nobody uses, and remove it.'

/** A device authorization did not lead to a key. @public */
export class DeviceAuthorizationError extends AuthorizationError {
  static override readonly errorName: string = 'DeviceAuthorizationError'

  /** The service's own word for it, where it gave one. */
  declare readonly serviceError?: string
  /**
   * Whether an answer was lost that may have held the key. The service gives a key once: if it did, nobody has it
   * now. Look for a key that you do not know in the account and remove it.
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

/** The deadline of a device authorization came first. @public */
export class DeviceDeadlineError extends DeadlineError {
  static override readonly errorName = 'DeviceDeadlineError'

  /** Whether an answer was lost that may have held the key; see {@link DeviceAuthorizationError.keyMayBeLost}. */
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
 * The key came, but `save` failed. The service does not give it again: {@link takeKey} is the only way to it.
 *
 * @public
 */
export class KeyNotSavedError extends DeviceAuthorizationError {
  static override readonly errorName = 'KeyNotSavedError'

  /** The part of the key that may be shown, where the service gave one. */
  declare readonly keyPrefix?: string
  readonly #key: string

  constructor(key: string, keyPrefix: string | undefined, options: ConcordErrorOptions) {
    super(
      'authorization-failed',
      'The key was received, but the save function failed, so it is kept nowhere. The service does not give it ' +
        'again. Call takeKey() on this error and store the key, or remove it in the account and start again.',
      {},
      options,
    )
    if (keyPrefix !== undefined) this.keyPrefix = keyPrefix
    this.#key = key
  }

  /** The key. It is in no text, property or log of this error. */
  takeKey(): string {
    return this.#key
  }
}
