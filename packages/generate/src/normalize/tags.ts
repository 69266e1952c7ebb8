import type { Contract } from '../read/contract.ts'
import { type Json, asObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { listedValues } from './disjoint.ts'
import type { TagModel } from './model.ts'

/**
 * Returns the constants that every value of a schema contains: the schema's own `const`, and the `const` of each
 * required property at any depth.
 */
export function tagsOf(
  contract: Contract,
  raw: Json | undefined,
  pointer = '',
  through: readonly string[] = [],
): TagModel[] {
  if (!isObject(raw)) return []
  if (typeof raw['$ref'] === 'string') {
    const found = contract.component(raw)
    if (!found || through.includes(found.name)) return []
    return tagsOf(contract, found.raw, pointer, [...through, found.name])
  }
  const inside = (inner: Json | undefined, at = pointer) => tagsOf(contract, inner, at, through)
  const branches = raw['anyOf'] ?? raw['oneOf']
  if (isList(branches)) {
    const [first = [], ...others] = branches.map((branch) => inside(branch))
    return first.filter((tag) => others.every((other) => hasTag(other, tag)))
  }
  if (isList(raw['allOf'])) return raw['allOf'].flatMap((branch) => inside(branch))
  const [value, second] = raw['x-open-enum'] === true ? [] : (listedValues(raw) ?? [])
  if (second === undefined && isScalar(value)) return [{ pointer, equals: value }]
  if (raw['type'] !== 'object' || !isList(raw['required'])) return []
  const properties = asObject(raw['properties'])
  return raw['required'].flatMap((name) =>
    inside(properties[String(name)], childPointer(pointer, String(name))),
  )
}

/**
 * Whether two messages can be distinguished: their tags contradict each other, or one message has all tags of the
 * other message and at least one more.
 */
export function areDistinct(first: readonly TagModel[], second: readonly TagModel[]): boolean {
  if (first.some((tag) => second.some((other) => contradict(tag, other)))) return true
  return first.every((tag) => hasTag(second, tag)) !== second.every((tag) => hasTag(first, tag))
}

function contradict(one: TagModel, other: TagModel): boolean {
  if (one.pointer === other.pointer) return one.equals !== other.equals
  // The value of a tag is never an object or an array, so no message can have another tag inside that value.
  return one.pointer.startsWith(`${other.pointer}/`) || other.pointer.startsWith(`${one.pointer}/`)
}

function hasTag(tags: readonly TagModel[], { pointer, equals }: TagModel): boolean {
  return tags.some((tag) => tag.pointer === pointer && tag.equals === equals)
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
