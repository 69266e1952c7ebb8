import { createHash } from 'node:crypto'

import { isObject, type Json } from '../core/specification.ts'

/** A hash of a JSON value that does not depend on the order of its keys. */
export function canonicalJson(value: Json): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, child]) => [name, sorted(child)]),
  )
}
