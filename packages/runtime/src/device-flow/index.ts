/** Device authorization (RFC 8628): an API key through the user's approval in a browser. */
export { authorizeDevice } from './authorize-device.ts'
export type {
  AuthorizedKey,
  DeviceFlowOptions,
  DeviceTokenResponse,
  DeviceUpdate,
} from './authorize-device.ts'
export type { DeviceCodeRecord, DevicePrompt } from './record.ts'
export { DeviceAuthorizationError, DeviceDeadlineError, KeyNotSavedError } from './errors.ts'
