import { refused } from './errors.ts'
import { isFile, isSource, type MediaInput } from './inputs.ts'
import type { MediaKind } from './media-types.ts'

/**
 * Fields of the body that the documentation does not show, by the names that you know. Inputs among them are marked with
 * `image()`, `video()` or `audio()`, also inside of objects and arrays. Strings are sent as they are.
 *
 * @public
 */
export type OpenFields = Readonly<Record<string, unknown>>

/** Puts the string that represents an input into its place. */
export type PutInput = (
  kind: MediaKind,
  input: MediaInput,
  path: string,
  put: (address: string) => void,
) => void

/**
 * Puts a value into its place as JSON has it; marked inputs become strings, also inside of objects and arrays.
 *
 * @throws RequestInvalidError for what JSON doesn't have, which would be lost or changed without notice.
 */
export function putValue(
  { operation, putInput }: { readonly operation: string; readonly putInput: PutInput },
  value: unknown,
  path: string,
  put: (resolved: unknown) => void,
): void {
  const above: object[] = []
  function visit(item: unknown, at: string, place: (resolved: unknown) => void): void {
    if (isSource(item)) return putInput(item.kind, item, at, place)
    const problem = jsonProblem(item)
    if (problem !== undefined) throw refused(operation, at, problem)
    if (typeof item !== 'object' || item === null) return place(item)
    if (above.includes(item)) throw refused(operation, at, 'contains itself, which JSON cannot')
    if ('toJSON' in item && typeof item.toJSON === 'function') return place(item)
    above.push(item)
    if (Array.isArray(item)) {
      const copy: unknown[] = []
      place(copy)
      for (const [index, each] of item.entries()) {
        const here = `${at}/${index}`
        if (each === undefined)
          throw refused(
            operation,
            here,
            'is undefined, which JSON turns into null in an array; pass null or leave it out',
          )
        visit(each, here, (resolved) => (copy[index] = resolved))
      }
    } else {
      const copy = {}
      place(copy)
      for (const [name, each] of Object.entries(item))
        visit(each, `${at}/${name}`, (resolved) => setOwn(copy, name, resolved))
    }
    above.pop()
  }
  visit(value, path, put)
}

/** Sets a property of any name; an assignment to `__proto__` would set the prototype. */
export function setOwn(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

/** Whether a value is the content of a file, and not JSON. */
export function isContent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (isFile(value) || ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return true
  return value instanceof Blob || value instanceof ReadableStream || Symbol.asyncIterator in value
}

/** Why a value cannot be part of a JSON body. */
function jsonProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `is a ${typeof value}, which JSON does not have`
    case 'bigint':
      return 'is a bigint, which JSON does not have; pass a number or a string'
    case 'number':
      return Number.isFinite(value) ? undefined : `is ${value}, which JSON does not have`
    case 'object':
      if (isContent(value))
        return 'is the content of a file; mark what it is with image(), video() or audio()'
      if (value instanceof Promise) return 'is a promise; await it first'
      if (value instanceof Map || value instanceof Set)
        return 'is a Map or a Set, which JSON does not have; pass an object or an array'
      return undefined
    default:
      return undefined
  }
}
