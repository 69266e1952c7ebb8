import type { EmulatedService } from '../core/service-module.ts'
import type { StorageAuthControl, StorageAuthState } from './control.ts'

/** The addresses of the storage authentication service, and who can sign in. @public */
export interface ServedStorageAuth {
  /** The address of the token endpoints, without a slash at the end. */
  readonly authUrl: string
  /** The address of the data endpoints, the API keys among them, without a slash at the end. */
  readonly dataUrl: string
  /** The address that the sign-in page is under, without a slash at the end. */
  readonly webUrl: string
  /** The email address of an account with a password. */
  readonly email: string
  /** Its password. */
  readonly password: string
}

/** The storage authentication service in process. @public */
export interface EmulatedStorageAuth
  extends EmulatedService<StorageAuthControl, StorageAuthState>, ServedStorageAuth {}
