import { EmulatorOptionsError } from '../core/errors.ts'
import type { ChoiceOverrides } from '../core/choices.ts'
import type { StorageAuthChoices } from './choices.ts'
import type { NewStorageAccount } from './model.ts'

/** How the storage authentication service is set up. @public */
export interface StorageAuthOptions {
  /**
   * Who can sign in from the start. The first one with a password is the emulator's `email` and `password`. By
   * default `kim@mail.example` with a new password, and `ola@mail.example` without one.
   */
  accounts?: readonly NewStorageAccount[]
  /**
   * How many requests a minute the three token endpoints together take from one IP address; by default 10, as
   * the service's documentation says. `Infinity` switches the limit off.
   */
  tokenRequestsPerMinute?: number
  /** How long an access token lives, in seconds; by default 3600, as the service's documentation says. */
  accessTokenSeconds?: number
  /** What every path of the token endpoints starts with; by default `/auth-api`. */
  authPath?: string
  /** What every path of the data endpoints starts with; by default `/data-api`. */
  dataPath?: string
  /** What every path of the sign-in page starts with; by default nothing. */
  webPath?: string
  /** Replaces choices; see `StorageAuthChoices`. */
  choices?: ChoiceOverrides<StorageAuthChoices>
}

/** Checks how many requests a minute are let through. */
export function toRequestsPerMinute(requests: number): number {
  if (requests === Infinity || (Number.isInteger(requests) && requests > 0)) return requests
  throw new EmulatorOptionsError(
    `tokenRequestsPerMinute must be a whole number above 0, or Infinity for no limit, not ${requests}.`,
  )
}

/** Checks a number of seconds. */
export function toSeconds(name: string, seconds: number): number {
  if (Number.isInteger(seconds) && seconds > 0) return seconds
  throw new EmulatorOptionsError(`${name} must be a whole number of seconds above 0, not ${seconds}.`)
}
