import type { OperationDescriptor } from '@concord/runtime'
import { checkInput } from '@concord/runtime/internal'

import { toAddress } from './addresses.ts'
import { invalidRequest } from './errors.ts'
import { isContent, isSource, type InputSettings, type MediaInput } from './inputs.ts'
import type { MediaKind } from './media-types.ts'

/**
 * Undocumented fields of the body, under the service's names. If a value is a media input, mark it with `image()`,
 * `video()` or `audio()`, even if it is inside an object or array. Unmarked strings are sent unchanged.
 *
 * @public
 */
export type OpenFields = Readonly<Record<string, unknown>>

/** The names of documented fields. */
export type FieldNames = Readonly<Record<string, true>>

/** A request, split into documented and undocumented fields. Fields whose value is `undefined` are left out. */
export interface SplitRequest {
  readonly known: Readonly<Record<string, unknown>>
  readonly fields: OpenFields
}

export interface BodyContext {
  readonly operation: Pick<OperationDescriptor, 'id' | 'secrets' | 'check'>
  readonly inputs: InputSettings
  readonly signal: AbortSignal | undefined
  /**
   * If true, the request is only checked. Files and other content are not read, and the body contains placeholders
   * for them. Default: false.
   */
  readonly dry?: boolean | undefined
}

const IMAGE_FIELDS: readonly string[] = ['promptImage', 'referenceImage']

/** The placeholder for an unread input. It has the form of a URL, so that the body can be checked. */
const PLACEHOLDER = 'https://placeholder.example/input'

/**
 * Rejects unknown fields, as the types do at compile time. Otherwise, a misspelled field would have no effect, but
 * the request would be sent and charged.
 *
 * @throws RequestInvalidError
 */
export function splitRequest(operation: string, request: unknown, shown: FieldNames): SplitRequest {
  if (!isRecord(request)) throw invalidRequest(operation, '/body', 'is not an object')
  const { fields = {}, ...known } = request
  if (!isRecord(fields))
    throw invalidRequest(
      operation,
      '/fields',
      'must be an object whose keys are names of undocumented fields',
    )
  rejectUnknown(operation, known, '/body', shown)
  const twice = Object.keys(fields).find((field) => Object.hasOwn(known, field))
  if (twice !== undefined)
    throw invalidRequest(
      operation,
      `/fields/${twice}`,
      "is also passed outside 'fields'; remove it from 'fields'",
    )
  return { known: defined(known), fields: defined(fields) }
}

function defined(fields: OpenFields): OpenFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** @throws RequestInvalidError for a name that is not documented. */
export function rejectUnknown(
  operation: string,
  value: Readonly<Record<string, unknown>>,
  path: string,
  shown: FieldNames,
): void {
  const unknown = Object.keys(value).find((field) => !Object.hasOwn(shown, field))
  if (unknown === undefined) return
  throw invalidRequest(
    operation,
    `${path}/${unknown}`,
    `is not among the documented fields, which are: ${Object.keys(shown).join(', ')}; ` +
      (path === '/body'
        ? "pass an undocumented field in 'fields'"
        : `to pass another field, omit ${path} and pass the whole ${path.slice('/body/'.length)} in 'fields'`),
  )
}

/**
 * Makes the body of a request, in which each media input is a string. Adds no defaults. If inputs must be read, the
 * body is checked before the first input is read or uploaded.
 *
 * @throws RequestInvalidError
 */
export async function toBody(
  { operation, inputs, signal, dry = false }: BodyContext,
  { known, fields }: SplitRequest,
): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {}
  const pending: { read(): Promise<string>; put(address: string): void }[] = []
  const putInput: PutInput = (kind, input, path, put) => {
    const address = toAddress(kind, input, inputs, { operation: operation.id, path, signal })
    if (typeof address === 'string') return put(address)
    put(PLACEHOLDER)
    pending.push({ read: address, put })
  }
  for (const [field, value] of Object.entries(known)) {
    const put = (resolved: unknown): void => setOwn(body, field, resolved)
    if (IMAGE_FIELDS.includes(field)) putInput('image', value as MediaInput, `/body/${field}`, put)
    else put(value)
  }
  const resolution = { operation: operation.id, putInput }
  for (const [field, value] of Object.entries(fields))
    putValue(resolution, value, `/body/${field}`, (resolved) => setOwn(body, field, resolved))
  if (pending.length === 0 && !dry) return body
  await checkInput(operation, { body })
  if (dry) return body
  // Inputs are read one at a time. If one can't be sent, the inputs after it are not uploaded in vain.
  for (const { read, put } of pending) put(await read())
  return body
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Calls `put` with the string that represents an input. If the input must be read first, calls `put` with a
 * placeholder, and again once the input has been read.
 */
type PutInput = (kind: MediaKind, input: MediaInput, path: string, put: (address: string) => void) => void

/**
 * Copies a JSON value to its place in the body.
 *
 * @throws RequestInvalidError for values that JSON would silently lose or change.
 */
function putValue(
  { operation, putInput }: { readonly operation: string; readonly putInput: PutInput },
  value: unknown,
  path: string,
  put: (resolved: unknown) => void,
): void {
  const above: object[] = []
  function visit(item: unknown, at: string, place: (resolved: unknown) => void): void {
    if (isSource(item)) return putInput(item.kind, item, at, place)
    const problem = jsonProblem(item)
    if (problem !== undefined) throw invalidRequest(operation, at, problem)
    if (typeof item !== 'object' || item === null) return place(item)
    if (above.includes(item))
      throw invalidRequest(operation, at, "contains itself, which JSON can't represent")
    if (typeof (item as { toJSON?: unknown }).toJSON === 'function') return place(item)
    above.push(item)
    if (Array.isArray(item)) {
      const copy: unknown[] = []
      place(copy)
      for (const [index, each] of item.entries()) {
        const here = `${at}/${index}`
        if (each === undefined)
          throw invalidRequest(
            operation,
            here,
            'is undefined, which JSON converts to null in an array; pass null or omit the item',
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

/** Sets a property with any name. Assigning to `__proto__` would set the prototype instead. */
function setOwn(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true })
}

function jsonProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `is a ${typeof value}, which JSON can't represent`
    case 'bigint':
      return "is a bigint, which JSON can't represent; pass a number or a string"
    case 'number':
      return Number.isFinite(value) ? undefined : `is ${value}, which JSON can't represent`
    case 'object':
      if (isContent(value))
        return 'is a file, bytes, a Blob or a stream; mark it with image(), video() or audio()'
      if (value instanceof Promise) return 'is a promise; await it first'
      if (value instanceof Map || value instanceof Set)
        return "is a Map or a Set, which JSON can't represent; pass an object or an array"
      return undefined
    default:
      return undefined
  }
}
