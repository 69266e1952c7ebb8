/**
 * Functions for quick checks, which a client makes without zod. The generator copies the functions that a client
 * needs into its checks.gen.ts. They are copied unchanged, so a function may use only what is in this file.
 */

/** Returns whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is a plain object whose values all pass a test. Keys that are symbols aren't allowed. */
export function isMapOf(value: unknown, test: (value: unknown) => boolean): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const maker = value['constructor']
  // Only `Object.prototype` has an own property `isPrototypeOf`. Unlike a comparison with `Object`, this test also
  // recognizes plain objects from other realms, such as iframes. If `constructor` isn't a function, it is an ordinary
  // property of a plain object.
  if (typeof maker === 'function' && !Object.hasOwn(Object(maker.prototype) as object, 'isPrototypeOf'))
    return false
  return Reflect.ownKeys(value).every((name) => typeof name === 'string' && test(value[name]))
}

/** Returns whether all items pass a test. Unlike `every`, also tests the holes of a sparse array. */
export function hasItemsOf(items: readonly unknown[], test: (value: unknown) => boolean): boolean {
  for (const item of items) if (!test(item)) return false
  return true
}

/** Returns whether an object has no properties other than `names`. */
export function hasOnly(value: object, ...names: readonly string[]): boolean {
  for (const name in value) if (!names.includes(name)) return false
  return true
}

/** Tests whether a value has none of these JSON Schema types. `undefined` fails the test. */
export function isNoneOf(...types: readonly string[]): (value: unknown) => boolean {
  return (value) => value !== undefined && !types.includes(jsonTypeOf(value))
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Returns whether all properties of an object pass a test; true for anything that isn't an object. */
export function hasEntries(value: unknown, test: (name: string, item: unknown) => boolean): boolean {
  if (!isRecord(value)) return true
  for (const name of Object.keys(value))
    if (value[name] !== undefined && !test(name, value[name])) return false
  return true
}

/** Returns whether a value is an object with an own property of this name that isn't undefined. */
export function hasName(value: unknown, name: string): boolean {
  return isRecord(value) && Object.hasOwn(value, name) && value[name] !== undefined
}

/** Returns whether an object has all of these properties; true for anything that isn't an object. */
export function hasNames(value: unknown, ...names: readonly string[]): boolean {
  return !isRecord(value) || names.every((name) => hasName(value, name))
}

/** Returns whether all items starting at an index pass a test; true for anything that isn't an array. */
export function hasItemsFrom(
  value: unknown,
  from: number,
  test: (item: unknown, index: number) => boolean,
): boolean {
  if (!Array.isArray(value)) return true
  for (let index = from; index < value.length; index++) if (!test(value[index], index)) return false
  return true
}

/** Returns whether the number of items that pass a test is within limits; true for anything that isn't an array. */
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

/** Returns whether exactly one of these results is true. */
export function isOne(...results: readonly boolean[]): boolean {
  return results.indexOf(true) >= 0 && results.indexOf(true) === results.lastIndexOf(true)
}

/** Returns whether a value is equal, as JSON, to one of these values. */
export function isOneOf(value: unknown, ...values: readonly unknown[]): boolean {
  return values.some((each) => isEqual(value, each))
}

/** Returns whether two values are equal as JSON. The order of properties in an object doesn't matter. */
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
