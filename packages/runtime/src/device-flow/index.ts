/** Device authorization (RFC 8628): an API key through the user's approval in a browser. */
export { authorizeDevice } from './device-flow.ts'
export type { AuthorizedKey, DeviceFlowOptions, DeviceTokenAnswer, DeviceUpdate } from './options.ts'
export type { DeviceCodeRecord, DevicePrompt } from './record.ts'
export { DeviceAuthorizationError, DeviceDeadlineError, KeyNotSavedError } from './errors.ts'
