import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'

/** Something of an AsyncAPI document together with what its traits add. */
export interface WithTraits {
  readonly raw: JsonObject
  /** Where a member stands: in the thing itself, or in one of its traits. */
  readonly placeOf: (key: string) => string
}

/** Adds the traits of a message or an operation: later ones win over earlier ones, the thing itself over all. */
export function withTraits(contract: Contract, raw: JsonObject, pointer: string): WithTraits {
  const { traits, ...own } = raw
  const parts = asList(traits).flatMap((trait, index) => {
    const found = contract.follow(trait, childPointer(pointer, 'traits', index))
    return isObject(found.raw) ? [{ raw: found.raw, pointer: found.pointer }] : []
  })
  parts.push({ raw: own, pointer })
  const owner = (key: string) => parts.findLast((part) => part.raw[key] !== undefined)?.pointer ?? pointer
  return {
    raw: parts.reduce<JsonObject>((merged, part) => mergePatch(merged, part.raw), {}),
    placeOf: (key) => childPointer(owner(key), key),
  }
}

/** RFC 7396, without the removal of members by null, which no member of a trait can mean. */
function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    const before = merged[key]
    merged[key] = isObject(before) && isObject(value) ? mergePatch(before, value) : value
  }
  return merged
}
