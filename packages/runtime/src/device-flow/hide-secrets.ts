import { safeCause } from '../core/error-base.ts'
import type { Scrub } from '../core/redact.ts'
import { DeviceAuthorizationError } from './errors.ts'

/**
 * Returns an error of the caller's code unchanged if it shows no secret, otherwise an error with a scrubbed copy as its
 * cause.
 */
export function hideSecrets(error: unknown, scrub: Scrub): unknown {
  if (error instanceof Error && !shows(error, scrub, new Set(), 0)) return error
  return new DeviceAuthorizationError(
    'authorization-failed',
    'A call of the device authorization failed. See the cause, from which secrets were removed.',
    {},
    { cause: safeCause(error, scrub) },
  )
}

/** Whether `inspect`, `JSON.stringify` or `String` would show a secret of this value. */
function shows(value: unknown, scrub: Scrub, seen: Set<unknown>, depth: number): boolean {
  if (typeof value === 'string') return scrub(value) !== value
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value))
    return false
  // Anything deeper is not searched, so it counts as a secret.
  if (depth > 8) return true
  seen.add(value)
  const within = (part: unknown): boolean => shows(part, scrub, seen, depth + 1)
  if (value instanceof Map || value instanceof Set) {
    for (const part of value.entries()) if (within(part)) return true
  }
  for (const key of Reflect.ownKeys(value)) {
    if (within(typeof key === 'symbol' ? key.description : key)) return true
    try {
      if (within(Reflect.get(value, key))) return true
    } catch {
      return true // A property that can't be read may be a secret.
    }
  }
  return false
}
