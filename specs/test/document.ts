import { fileURLToPath } from 'node:url'

import {
  atPointer,
  isObject,
  type JsonObject,
  objectOf,
  readDocument as readFile,
} from '../../packages/spec-model/src/index.ts'

export {
  arrayOf,
  escapeToken as escaped,
  isObject,
  type JsonObject,
  objectOf,
} from '../../packages/spec-model/src/index.ts'

/** The object at a key, or an empty one. */
export const objectAt = (parent: JsonObject, key: string) => objectOf(parent[key])

/** The address of a file of this package. */
export const fileOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** Reads a contract, or another YAML or JSON file of this package. */
export const readDocument = (name: string) => readFile(fileOf(name))

/** A copy of a document with a mistake: another value of a member, or by default none. */
export function planted(document: JsonObject, pointer: string, key: string, value?: unknown): JsonObject {
  const copy = structuredClone(document)
  const changed = at(copy, pointer) as Record<string, unknown>
  if (value === undefined) delete changed[key]
  else changed[key] = value
  if (JSON.stringify(copy) === JSON.stringify(document)) throw new Error('nothing was planted')
  return copy
}

/** The object at a JSON Pointer; throws if it is absent, so that a planted mistake can't miss its place. */
export function at(document: unknown, pointer: string): JsonObject {
  const value = atPointer(document, pointer)
  if (!isObject(value)) throw new Error(`there is no object at ${pointer}`)
  return value
}

/** The object, or the one that it refers to in the same document. */
export function resolved(document: JsonObject, value: JsonObject): JsonObject {
  let current = value
  for (const seen = new Set<string>(); typeof current['$ref'] === 'string';) {
    const reference = current['$ref']
    if (seen.has(reference) || !reference.startsWith('#/')) return current
    seen.add(reference)
    current = at(document, reference.slice(1))
  }
  return current
}
