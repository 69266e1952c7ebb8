import { fileURLToPath } from 'node:url'

import { atPointer, readDocument as readFile } from '../../packages/spec-model/src/index.ts'

export { escapeToken as escaped } from '../../packages/spec-model/src/index.ts'

/** JSON as it comes from a document. */
export type Json = null | boolean | number | string | Json[] | JsonObject
/** A JSON object; a key may be missing. */
export type JsonObject = { [key: string]: Json }

/** Tells a JSON object from every other JSON value. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object at a key, or an empty one. */
export function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key]
  return isObject(value) ? value : {}
}

/** The address of a file of this package. */
export const fileOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** Reads a contract, or another YAML or JSON file of this package. */
export const readDocument = (name: string) => readFile(fileOf(name)) as JsonObject

/** A copy of a document with a mistake: another value of a member, or by default none. */
export function planted(document: JsonObject, pointer: string, key: string, value?: Json): JsonObject {
  const copy = structuredClone(document)
  const changed = at(copy, pointer)
  if (value === undefined) delete changed[key]
  else changed[key] = value
  if (JSON.stringify(copy) === JSON.stringify(document)) throw new Error('nothing was planted')
  return copy
}

/** The object at a JSON Pointer; throws if it is absent, so that a planted mistake can't miss its place. */
export function at(document: Json, pointer: string): JsonObject {
  const value = atPointer(document, pointer) as Json | undefined
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
