/** Device authorization (RFC 8628): an API key through the user's approval in a browser. */
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
