/** Returns the value at a JSON pointer (RFC 6901), or `undefined` if there is no value. @public */
export function readPointer(value: unknown, pointer: string): unknown {
  if (pointer === '') return value
  let current = value
  for (const part of pointer.slice(1).split('/')) {
    if (typeof current !== 'object' || current === null) return undefined
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (!Object.hasOwn(current, key)) return undefined
    current = (current as Record<string, unknown>)[key]
  }
  return current
}

/** Writes a path of keys as a JSON pointer. @public */
export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/**
 * Returns a value as JSON, or the reason why it can't be converted. `JSON.stringify` throws a TypeError for a cycle
 * or a bigint, so every TypeError becomes a reason.
 */
export function toJson(value: unknown): string | { readonly reason: string } {
  try {
    return (JSON.stringify(value) as string | undefined) ?? { reason: 'has no JSON representation' }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { reason: `cannot be converted to JSON (${error.message.split('\n', 1)[0]})` }
  }
}

/**
 * The maximum number of objects and arrays in a JSON text. No real message has more than a thousandth of that number.
 * An object or array takes only two bytes to send, but at least 50 bytes of memory. Without this limit, a response
 * could use much more memory than its size suggests.
 */
export const MAX_CONTAINERS = 4_000_000

/** True if a JSON text seems to have too many objects and arrays. Brackets in strings count, too. */
export function hasTooManyContainers(text: string): boolean {
  if (text.length < 2 * MAX_CONTAINERS) return false
  let left = MAX_CONTAINERS
  for (const bracket of '{[')
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (--left < 0) return true
  return false
}

/** Values that are nested too deeply to be serialized count as different. */
export function isSameJson(one: unknown, other: unknown): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other)
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
