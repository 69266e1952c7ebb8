import type { ContractNode } from '../read/contract.ts'
import { type Json, type JsonObject, isObject } from '../read/json.ts'

/** A message or an operation of an AsyncAPI document, merged with its traits. */
export interface WithTraits {
  readonly node: ContractNode
  readonly raw: JsonObject
  /** Returns the node of a member of `raw`. */
  readonly at: (key: string) => ContractNode
}

/**
 * Merges the traits into a message or an operation. Later traits override earlier traits, and the message or
 * operation itself overrides all traits.
 */
export function withTraits(node: ContractNode): WithTraits {
  const { traits: _, ...own } = node.raw
  const traits = node.at('traits').items()
  const parts = [...traits.map((trait) => trait.follow()).filter((trait) => trait.isObject), node.with(own)]
  const raw = parts.reduce<JsonObject>((merged, part) => mergePatch(merged, part.raw), {})
  const owner = (key: string) => parts.findLast((part) => part.raw[key] !== undefined) ?? node
  return { node, raw, at: (key) => owner(key).at(key).with(raw[key]) }
}

/** Merges as in RFC 7396, except that null doesn't remove a member. */
function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    const before = merged[key]
    merged[key] = isObject(before) && isObject(value) ? mergePatch(before, value) : value
  }
  return merged
}
