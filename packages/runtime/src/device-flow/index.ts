/** Device authorization (RFC 8628), which gets an API key that the user approves in a browser. */
export { authorizeDevice } from './authorize-device.ts'
export type {
  AuthorizedKey,
  DeviceCodeRecord,
  DeviceFlowOptions,
  DevicePrompt,
  DeviceTokenResponse,
  DeviceUpdate,
} from './authorize-device.ts'
export { DeviceAuthorizationError, DeviceDeadlineError, KeyNotSavedError } from './errors.ts'
