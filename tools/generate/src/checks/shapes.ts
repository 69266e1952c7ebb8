/**
 * The shapes that quick checks test. The generator copies those that a service needs, as they are
 * here, into the checks.gen.ts of its client; so each one uses only what is in this file.
 */

/** An object that isn't an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A map: an object of no class of its own, with names that are strings, and with values that all pass. */
export function isMapOf(value: unknown, test: (value: unknown) => boolean): boolean {
  if (!isRecord(value)) return false
  const maker = value['constructor']
  // The prototype of plain objects, of another realm too, has this of its own; a map may hold the name itself.
  if (typeof maker === 'function' && !Object.hasOwn(Object(maker.prototype) as object, 'isPrototypeOf'))
    return false
  return Reflect.ownKeys(value).every((name) => typeof name === 'string' && test(value[name]))
}

/** Whether all items pass, also the holes of an array that has some. */
export function hasItemsOf(items: readonly unknown[], test: (value: unknown) => boolean): boolean {
  for (const item of items) if (!test(item)) return false
  return true
}

/** Whether an object has no other properties than these. */
export function hasOnly(value: object, ...names: readonly string[]): boolean {
  for (const name in value) if (!names.includes(name)) return false
  return true
}
