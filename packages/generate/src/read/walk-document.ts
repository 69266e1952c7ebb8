import { type Json, type JsonObject, isList } from './json.ts'
import { isData, isMap } from './member-names.ts'
import { childPointer } from './pointer.ts'

/**
 * Visits every object of a document once, except in data such as examples. `visit` receives two base URIs: `base`
 * resolves the object's references, and `outer` resolves its own `$id`. A base URI comes from the closest schema with
 * an `$id`, or else from the document.
 */
export function walkDocument(
  start: Json,
  from: { readonly pointer: string; readonly base: string },
  visit: (raw: JsonObject, pointer: string, base: string, outer: string) => void,
): void {
  const seen = new Set<Json>()
  const enter = (value: Json, pointer: string, base: string, isInMap: boolean): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (isList(value)) {
      value.forEach((item, index) => enter(item, childPointer(pointer, index), base, false))
      return
    }
    const own = typeof value['$id'] === 'string' ? resolved(value['$id'], base) : base
    visit(value, pointer, own, base)
    for (const [key, member] of Object.entries(value))
      if (!isData(key, isInMap)) enter(member, childPointer(pointer, key), own, isMap(key, isInMap))
  }
  enter(start, from.pointer, from.base, false)
}

function resolved(id: string, base: string): string {
  try {
    return new URL(id, base).href.replace(/#$/, '')
  } catch {
    return base
  }
}

type Rewrite = (raw: Record<string, Json>) => JsonObject

/**
 * Copies a document, and rewrites every object that may be a schema, starting with inner objects.
 *
 * @param isMapToo Returns true for a key that {@link isMap} doesn't know, but whose value is a map in this document.
 */
export function rewritten(
  document: JsonObject,
  rewrite: Rewrite,
  isMapToo: (key: string) => boolean = () => false,
): JsonObject {
  // With YAML aliases, a document may contain the same object at several places.
  const known = new Map<Json, Json>()
  const copy = (value: Json, isInMap: boolean): Json => {
    if (typeof value !== 'object' || value === null) return value
    const result =
      known.get(value) ?? (isList(value) ? value.map((item) => copy(item, false)) : inside(value, isInMap))
    known.set(value, result)
    return result
  }
  const inside = (value: JsonObject, isInMap: boolean): JsonObject => {
    const members = Object.entries(value).map(([key, member]) => {
      const isInner = isMap(key, isInMap) || (!isInMap && isMapToo(key))
      return [key, isData(key, isInMap) ? member : copy(member, isInner)] as const
    })
    const copied = Object.fromEntries(members)
    return isInMap ? copied : rewrite(copied)
  }
  return copy(document, false) as JsonObject
}
