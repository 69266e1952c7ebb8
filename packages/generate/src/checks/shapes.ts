/**
 * The tests of shapes that quick checks use. The generator copies the functions that a service needs, as they are
 * here, into the checks.gen.ts of its client. So each function uses only what is in this file.
 */

/** An object that isn't an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A map: an object of no class of its own, with names that are strings, and with values that all pass. */
export function isMapOf(value: unknown, test: (value: unknown) => boolean): value is Record<string, unknown> {
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

/** Whether a value is of none of these types of JSON Schema. `undefined` isn't a value. */
export function isNoneOf(...types: readonly string[]): (value: unknown) => boolean {
  return (value) => value !== undefined && !types.includes(jsonTypeOf(value))
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Whether all properties of an object pass. Anything but an object does. */
export function hasEntries(value: unknown, test: (name: string, item: unknown) => boolean): boolean {
  if (!isRecord(value)) return true
  for (const name of Object.keys(value))
    if (value[name] !== undefined && !test(name, value[name])) return false
  return true
}

/** Whether an object has a property of its own. */
export function hasName(value: unknown, name: string): boolean {
  return isRecord(value) && Object.hasOwn(value, name) && value[name] !== undefined
}

/** Whether an object has all of these properties. Anything but an object passes. */
export function hasNames(value: unknown, ...names: readonly string[]): boolean {
  return !isRecord(value) || names.every((name) => hasName(value, name))
}

/** Whether all items from a place on pass. Anything but an array does. */
export function hasItemsFrom(
  value: unknown,
  from: number,
  test: (item: unknown, index: number) => boolean,
): boolean {
  if (!Array.isArray(value)) return true
  for (let index = from; index < value.length; index++) if (!test(value[index], index)) return false
  return true
}

/** Whether the number of items that pass is within limits. Anything but an array is. */
export function hasMatches(
  value: unknown,
  test: (item: unknown) => boolean,
  least: number,
  most = Infinity,
): boolean {
  if (!Array.isArray(value)) return true
  let count = 0
  for (const item of value) if (test(item)) count++
  return count >= least && count <= most
}

/** Whether exactly one of some tests passed. */
export function isOne(...results: readonly boolean[]): boolean {
  return results.indexOf(true) >= 0 && results.indexOf(true) === results.lastIndexOf(true)
}

/** Whether a value is one of these, as JSON compares values. */
export function isOneOf(value: unknown, ...values: readonly unknown[]): boolean {
  return values.some((each) => isEqual(value, each))
}

/** Whether two values are equal, as JSON compares them: the order of names in an object doesn't count. */
function isEqual(first: unknown, second: unknown): boolean {
  if (first === second) return true
  if (Array.isArray(first) || Array.isArray(second))
    return (
      Array.isArray(first) &&
      Array.isArray(second) &&
      first.length === second.length &&
      first.every((item, index) => isEqual(item, second[index]))
    )
  if (!isRecord(first) || !isRecord(second)) return false
  const names = Object.keys(first)
  return (
    names.length === Object.keys(second).length &&
    names.every((name) => Object.hasOwn(second, name) && isEqual(first[name], second[name]))
  )
}
