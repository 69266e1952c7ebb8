import { type Node, parseTree, visit } from 'jsonc-parser'

import { type JsonObject, isObject } from './json.ts'

/** A JSON document, with the offsets of its members in the text. */
export interface JsonText {
  readonly value: JsonObject
  /** The offset of a member's name, or of an item; undefined if the member or item doesn't exist. */
  offsetOf(segments: readonly string[]): number | undefined
}

/**
 * Parses JSON. This is several times faster than the YAML parser, and needs less memory.
 *
 * @returns undefined if the YAML parser must read the text, for example to report two members with the same name.
 */
export function readJson(text: string): JsonText | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || !hasUniqueNames(text)) return undefined
    let offsetOf: JsonText['offsetOf'] | undefined
    return { value, offsetOf: (segments) => (offsetOf ??= offsetFinder(text))(segments) }
  } catch {
    return undefined
  }
}

/** @throws RangeError if the nesting is too deep for jsonc-parser. */
function hasUniqueNames(text: string): boolean {
  const open: Set<string>[] = []
  let isUnique = true
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectProperty: (name) => {
      if (open.at(-1)!.has(name)) isUnique = false
      open.at(-1)!.add(name)
    },
    onObjectEnd: () => void open.pop(),
  })
  return isUnique
}

function offsetFinder(text: string): JsonText['offsetOf'] {
  const known = new Map<Node | undefined, ReadonlyMap<string, Node>>()
  const root = parseTree(text)
  return (segments) => {
    let found = root
    for (const segment of segments) {
      const value = found?.type === 'property' ? found.children![1] : found
      if (!known.has(value)) known.set(value, membersOf(value))
      found = known.get(value)!.get(segment)
    }
    return found?.offset
  }
}

/** The properties of an object by name, or the items of a list by index. */
function membersOf({ type, children = [] }: Partial<Node> = {}): ReadonlyMap<string, Node> {
  return new Map(
    children.map((child, index) => [
      type === 'array' ? String(index) : String(child.children![0]!.value),
      child,
    ]),
  )
}
