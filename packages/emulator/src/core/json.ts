/** A JSON value. @public */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A JSON object. @public */
export type JsonObject = { [key: string]: Json }

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
