import { type Json, type JsonObject, isList } from './json.ts'
import { childPointer } from './pointer.ts'

/** Members whose values are examples and constants, in which nothing is a reference. */
const PLAIN = new Set(['const', 'default', 'enum', 'example', 'examples'])

/** Members whose own members have names that the author chose, such as `default`. */
const MAPS = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
  'schemas',
])

/**
 * Visits every object of a document once, with the address that its references are relative to: that of the document, or
 * that of the closest schema around it with an address of its own (`$id`).
 */
export function walkDocument(
  start: Json,
  from: { readonly pointer: string; readonly base: string },
  visit: (raw: JsonObject, pointer: string, base: string) => void,
): void {
  const seen = new Set<Json>()
  const enter = (value: Json, pointer: string, base: string, isMap: boolean): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (isList(value)) {
      value.forEach((item, index) => enter(item, childPointer(pointer, index), base, false))
      return
    }
    const own = typeof value['$id'] === 'string' ? resolved(value['$id'], base) : base
    visit(value, pointer, own)
    for (const [key, member] of Object.entries(value))
      if (isMap || !PLAIN.has(key)) enter(member, childPointer(pointer, key), own, !isMap && MAPS.has(key))
  }
  enter(start, from.pointer, from.base, false)
}

/** An address that is none names nothing. */
function resolved(id: string, base: string): string {
  try {
    return new URL(id, base).href.replace(/#$/, '')
  } catch {
    return base
  }
}
