import { JSONPathEnvironment, type JSONPathNode } from 'json-p3'

import type { Problem } from '../problems.ts'
import { type Json, isList, isObject } from '../read/json.ts'
import type { Source } from '../read/source.ts'
import { type Action, readActions } from './actions.ts'
import { type Origin, Origins, inside } from './origins.ts'

/** A list or an object that is being changed. */
type Holder = Json[] | Record<string, Json>

/** A document with overlays applied, and the likely mistakes in the overlays. */
interface Overlaid {
  readonly source: Source
  readonly notes: readonly Problem[]
}

/** JSONPath as in RFC 9535. The recursion limit is higher than the maximum depth of a document. */
const paths = new JSONPathEnvironment({ strict: true, maxRecursionDepth: 10_000 })

/**
 * Applies overlays to a document, one after the other. The result records where each of its values comes from: a
 * place in the original document or in an overlay. Implements the OpenAPI Overlay Specification 1.0 and 1.1.
 *
 * @throws GenerationError if an overlay is invalid, or an action can't be applied
 */
export function applyOverlays(document: Source, overlays: readonly Source[]): Overlaid {
  const root = copy(document.value) as Record<string, Json>
  const origins = new Origins(document)
  const notes: Problem[] = []
  for (const overlay of overlays)
    for (const action of readActions(overlay)) new Change(root, origins, action).apply(notes)
  return {
    source: {
      file: document.file,
      ...(document.address !== undefined && { address: document.address }),
      text: document.text,
      value: root,
      place: (pointer) => origins.place(root, pointer),
      parts: [document, ...overlays],
    },
    notes,
  }
}

class Change {
  readonly #root: Record<string, Json>
  readonly #origins: Origins
  readonly #action: Action

  constructor(root: Record<string, Json>, origins: Origins, action: Action) {
    this.#root = root
    this.#origins = origins
    this.#action = action
  }

  apply(notes: Problem[]): void {
    const { target, remove, update, copy: from } = this.#action
    const nodes = this.#find(target, 'target')
    if (nodes.length === 0) {
      notes.push(
        this.#action.problem(`\`${target}\` selects nothing, so this action changes nothing`, 'target'),
      )
      return
    }
    if (remove) this.#remove(nodes)
    else if (from !== undefined) {
      const [node, ...others] = this.#find(from, 'copy')
      if (node === undefined || others.length > 0)
        throw this.#action.error(
          `\`${from}\` must select exactly one value, but selects ${others.length + (node ? 1 : 0)}`,
          'copy',
        )
      const origin = this.#origins.at(this.#root, node.location)
      const value = copy(node.value as Json)
      for (const { location } of nodes) this.#put(location, value, origin)
    } else if (update !== undefined) {
      for (const { location } of nodes) this.#put(location, update, this.#action.originOfUpdate)
    }
  }

  #find(path: string, member: 'target' | 'copy'): readonly JSONPathNode[] {
    try {
      return paths.query(path, this.#root as never).nodes
    } catch (error) {
      throw this.#action.error(
        `\`${path}\` isn't a JSONPath of RFC 9535: ${(error as Error).message}`,
        member,
      )
    }
  }

  #remove(nodes: readonly JSONPathNode[]): void {
    const removed = new Map<Holder, { readonly origin: Origin; readonly keys: Set<string> }>()
    for (const { location } of nodes) {
      const key = location.at(-1)
      if (key === undefined) throw this.#action.error("the whole document can't be removed", 'target')
      const holder = valueAt(this.#root, location.slice(0, -1)) as Holder
      const known = removed.get(holder)
      if (known) known.keys.add(String(key))
      else
        removed.set(holder, {
          origin: this.#origins.at(this.#root, location.slice(0, -1)),
          keys: new Set([String(key)]),
        })
    }
    for (const [holder, { origin, keys }] of removed) {
      if (!Array.isArray(holder)) {
        for (const key of keys) delete holder[key]
        continue
      }
      // The remaining items move up, but keep their origins.
      const kept = holder.flatMap((item, index) =>
        keys.has(String(index)) ? [] : [{ item, origin: this.#origins.member(holder, index, origin) }],
      )
      holder.splice(0, holder.length, ...kept.map(({ item }) => item))
      for (const [index, { origin: own }] of kept.entries()) this.#origins.move(holder, index, own)
    }
  }

  /** Merges a value into the value at a location. */
  #put(location: readonly (string | number)[], value: Json, origin: Origin): void {
    const before = valueAt(this.#root, location)
    if (isObject(before) || isList(before)) {
      this.#merge(before as Holder, value, origin)
      return
    }
    const key = location.at(-1)
    const holder = valueAt(this.#root, location.slice(0, -1)) as Holder
    if (key === undefined || isObject(value) || isList(value))
      throw this.#action.error(`${kindOf(value)} can't be merged into ${kindOf(before)}`, 'update')
    this.#set(holder, key, value, origin)
  }

  #merge(into: Holder, value: Json, origin: Origin): void {
    if (Array.isArray(into)) {
      const items = isList(value)
        ? value.map((item, index) => ({ item, from: inside(origin, index) }))
        : [{ item: value, from: origin }]
      for (const { item, from } of items) this.#set(into, into.length, item, from)
      return
    }
    if (!isObject(value))
      throw this.#action.error(`${kindOf(value)} can't be merged into an object`, 'update')
    for (const [key, member] of Object.entries(value)) {
      const from = inside(origin, key)
      // In YAML, a member without a value is null, so null counts as empty here. Any value can replace a null in the
      // document, but a null in the overlay doesn't replace an object or a list.
      const before = Object.hasOwn(into, key) ? (into[key] ?? undefined) : undefined
      if (member === null && before !== undefined && !isPlain(before)) continue
      if (before === undefined || (isPlain(before) && isPlain(member))) this.#set(into, key, member, from)
      else if ((isObject(before) && isObject(member)) || (isList(before) && isList(member)))
        this.#merge(before as Holder, member, from)
      else
        throw this.#action.error(
          `\`${key}\` is ${kindOf(before)}; ${kindOf(member)} can't be merged into it`,
          'update',
        )
    }
  }

  #set(holder: Holder, key: string | number, value: Json, origin: Origin): void {
    // Unlike an assignment, this also works for names such as `__proto__`.
    Object.defineProperty(holder, key, {
      value: copy(value),
      enumerable: true,
      writable: true,
      configurable: true,
    })
    this.#origins.move(holder, key, origin)
  }
}

/** Returns a deep copy. Each place that shares an object or a list through a YAML alias gets its own copy of it. */
function copy(value: Json): Json {
  if (isList(value)) return value.map(copy)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)]))
}

function valueAt(root: Json, location: readonly (string | number)[]): Json {
  let value: Json = root
  for (const key of location) value = (value as Record<string | number, Json>)[key] ?? null
  return value
}

function isPlain(value: Json): boolean {
  return !isObject(value) && !isList(value)
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (isList(value)) return 'a list'
  return isObject(value) ? 'an object' : `a ${typeof value}`
}
