/** Reads the value at a JSON pointer (RFC 6901); `undefined` where there is none. @public */
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
