/** A JSON value. @public */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A JSON object. @public */
export type JsonObject = { [key: string]: Json }

/** JSON that a choice may return. Object members that are undefined are left out. @public */
export type JsonLike =
  | null
  | boolean
  | number
  | string
  | readonly JsonLike[]
  | { readonly [key: string]: JsonLike | undefined }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The copy omits functions and undefined members. */
export function copyOf<T>(value: object): T {
  return JSON.parse(JSON.stringify(value)) as T
}

export function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
