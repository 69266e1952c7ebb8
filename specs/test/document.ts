import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

/** JSON as it comes from a document. */
export type Json = null | boolean | number | string | Json[] | JsonObject
/** A JSON object; a key may be missing. */
export type JsonObject = { [key: string]: Json }

/** Tells a JSON object from every other JSON value. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object at a key, or an empty one where there is none. */
export function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key]
  return isObject(value) ? value : {}
}

/** The address of a file of this package. */
export const fileOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** Reads a contract, or another YAML or JSON file of this package. */
export function readDocument(name: string): JsonObject {
  const document: unknown = parse(readFileSync(fileOf(name), 'utf8'))
  if (!isObject(document as Json)) throw new TypeError(`${name} does not hold an object`)
  return document as JsonObject
}

/** A copy of a document with one mistake planted in it, to see a check fail. */
export function planted(document: JsonObject, plant: (copy: JsonObject) => void): JsonObject {
  const copy = structuredClone(document)
  plant(copy)
  if (JSON.stringify(copy) === JSON.stringify(document)) throw new Error('nothing was planted')
  return copy
}

/** The value at a JSON Pointer; throws where there is none, so that a planted mistake cannot miss its place. */
export function at(document: Json, pointer: string): JsonObject {
  let value: Json | undefined = document
  for (const part of parts(pointer)) {
    if (Array.isArray(value)) value = value[Number(part)]
    else value = isObject(value) ? value[part] : undefined
  }
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

/** One step of a JSON Pointer, escaped. */
export const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1')

function parts(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
