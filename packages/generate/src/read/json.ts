export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function asList(value: unknown): readonly Json[] {
  return isList(value) ? value : []
}

/** Keywords whose schemas apply to the same value as the schema that has the keyword. */
export const COMBINATIONS = ['allOf', 'anyOf', 'oneOf'] as const

export function combinedIn(raw: JsonObject, keys: readonly string[] = COMBINATIONS): readonly Json[] {
  return keys.flatMap((key) => asList(raw[key]))
}

export function typesOf({ type }: JsonObject): readonly string[] {
  if (type === undefined) return []
  return isList(type) ? type.map(String) : [String(type)]
}

/** The JSON Schema type of a value. The type of an integer is `number`. */
export function typeOfValue(value: Json): string {
  if (value === null) return 'null'
  return isList(value) ? 'array' : typeof value
}
