import type { CallOptions } from '@concord/runtime'

/** The names of what every call takes. */
export const CALL_OPTIONS = [
  'signal',
  'timeoutMs',
  'deadline',
  'validate',
  'maxAttempts',
  'extra',

  'onUploadProgress',
] as const satisfies readonly (keyof CallOptions)[]
