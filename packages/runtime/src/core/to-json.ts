/** A value as a text of JSON; `undefined` for what has none: nothing at all, a function, a cycle, a bigint. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined
  } catch {
    return undefined
  }
}
