import { safeCause, type Scrub } from '../core/redact.ts'
import { DeviceAuthorizationError } from './errors.ts'

/**
 * Lets an error of somebody else's code through when it shows no secret, and otherwise puts one in its place that
 * carries a scrubbed copy.
 */
export function hideSecrets(error: unknown, scrub: Scrub): unknown {
  if (error instanceof Error && !shows(error, scrub, new Set(), 0)) return error
  return new DeviceAuthorizationError(
    'authorization-failed',
    'A call of the device authorization failed. Its error is given as the cause, without the secrets in it.',
    {},
    { cause: safeCause(error, scrub) },
  )
}

/** Whether a secret stands anywhere that `inspect`, `JSON.stringify` or `String` would show. */
function shows(value: unknown, scrub: Scrub, seen: Set<unknown>, depth: number): boolean {
  if (typeof value === 'string') return scrub(value) !== value
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value))
    return false
  // What lies deeper than this is not looked through, so it is not let through either.
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
      return true // What cannot be looked at cannot be let through.
    }
  }
  return false
}
