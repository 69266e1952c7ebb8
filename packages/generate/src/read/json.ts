/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is a list of JSON values. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/** Returns a value if it is an object, or else an empty object. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns a value if it is a list, or else an empty list. */
export function asList(value: unknown): readonly Json[] {
  return isList(value) ? value : []
}

/** The JSON Schema type of a value; whole numbers are numbers. */
export function typeOfValue(value: Json): string {
  if (value === null) return 'null'
  return isList(value) ? 'array' : typeof value
}
