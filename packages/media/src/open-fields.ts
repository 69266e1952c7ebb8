import { refused } from './errors.ts'
import { isSource, type MediaSource } from './inputs.ts'

/** What stands for a marked input at a place of the body. */
export type ToText = (source: MediaSource, path: string) => Promise<string>

/**
 * Makes of fields that the documentation does not show what goes into the body: marked inputs become texts, also inside
 * of objects and lists.
 *
 * @throws RequestInvalidError for what JSON does not have, which would be lost or changed on its way without a word.
 */
export async function resolveFields(
  operation: string,
  value: unknown,
  path: string,
  toText: ToText,
  above: readonly object[] = [],
): Promise<unknown> {
  if (isSource(value)) return toText(value, path)
  const problem = problemOf(value)
  if (problem !== undefined) throw refused(operation, path, problem)
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) throw refused(operation, path, 'holds itself, which JSON cannot')
  if ('toJSON' in value && typeof value.toJSON === 'function') return value
  const inside = [...above, value]
  const each = (item: unknown, name: string | number) =>
    resolveFields(operation, item, `${path}/${name}`, toText, inside)
  if (Array.isArray(value)) return Promise.all(value.map(each))
  const entries = Object.entries(value).map(async ([name, item]) => [name, await each(item, name)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** Whether a value is the content of a file, and not JSON. */
export function isContent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Blob) return true
  return value instanceof ReadableStream || Symbol.asyncIterator in value
}

/** Why a value cannot be part of a JSON body. */
function problemOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `is a ${typeof value}, which JSON does not have`
    case 'bigint':
      return 'is a bigint, which JSON does not have; give a number or a text'
    case 'number':
      return Number.isFinite(value) ? undefined : `is ${value}, which JSON does not have`
    case 'object':
      if (isContent(value))
        return 'is the content of a file; mark what it is with image(), video() or audio()'
      if (value instanceof Promise) return 'is a promise; await it first'
      if (value instanceof Map || value instanceof Set)
        return 'is a Map or a Set, which JSON does not have; give an object or a list'
      return undefined
    default:
      return undefined
  }
}
