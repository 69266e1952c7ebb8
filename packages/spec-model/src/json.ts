export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns whether two JSON values are the same. The order of keys doesn't matter. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => sameJson(item, other[at]))
    )
  }
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
}

/** Returns JSON pointers to at most `limit` differences between two JSON values. The pointer to the root is empty. */
export function differences(expected: unknown, actual: unknown, limit = 5): readonly string[] {
  const found: string[] = []
  const visit = (one: unknown, other: unknown, at: string): void => {
    if (found.length >= limit || sameJson(one, other)) return
    const bothArrays = Array.isArray(one) && Array.isArray(other)
    if (!bothArrays && !(isObject(one) && isObject(other))) {
      found.push(at)
      return
    }
    const left = one as JsonObject
    const right = other as JsonObject
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      visit(left[key], right[key], `${at}/${escapeToken(key)}`)
    }
  }
  visit(expected, actual, '')
  return found
}

/** Escapes a token of a JSON pointer (RFC 6901, section 3). */
export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}

export function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Returns the JSON pointer in a reference of the form `#/...`. */
export function pointerOf(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1))
  } catch {
    return reference.slice(1)
  }
}

/** Returns the value at a JSON pointer, or undefined. Follows references on the way to the value. */
export function resolveAt(document: unknown, pointer: string, budget = { references: 100 }): unknown {
  const follow = (value: unknown): unknown => {
    let current = value
    while (isObject(current) && typeof current['$ref'] === 'string') {
      if (budget.references-- <= 0) return undefined
      current = resolveAt(document, pointerOf(current['$ref']), budget)
    }
    return current
  }
  return pointer
    .split('/')
    .slice(1)
    .reduce((value, token) => follow(atPointer(value, `/${token}`)), follow(document))
}

/** Returns the value at a JSON pointer (RFC 6901, section 4), or undefined. */
export function atPointer(document: unknown, pointer: string): unknown {
  let current = document
  for (const token of pointer.split('/').slice(1)) {
    const key = unescapeToken(token)
    if (Array.isArray(current)) current = current[Number(key)]
    else if (isObject(current) && Object.hasOwn(current, key)) current = current[key]
    else return undefined
  }
  return current
}
