import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'

/** A message or an operation of an AsyncAPI document, merged with its traits. */
export interface WithTraits {
  readonly raw: JsonObject
  /** The place of a member: in the object itself, or in one of its traits. */
  readonly placeOf: (key: string) => string
}

/**
 * Merges the traits into a message or an operation. Later traits override earlier traits, and the object itself
 * overrides all.
 */
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

/** Merges as in RFC 7396, but null doesn't remove a member, because no member of a trait can mean that. */
function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    const before = merged[key]
    merged[key] = isObject(before) && isObject(value) ? mergePatch(before, value) : value
  }
  return merged
}
