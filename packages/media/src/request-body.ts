import { checkInput, type OperationDescriptor } from '@concord/runtime'

import { refused } from './errors.ts'
import { toAddress, type InputSettings, type MediaInput } from './inputs.ts'
import { putValue, setOwn, type OpenFields, type PutInput } from './open-fields.ts'

/** A request, split into the fields that the documentation shows and the others. */
export interface SplitRequest {
  readonly known: Readonly<Record<string, unknown>>
  readonly fields: OpenFields
}

/** What a body is made for. */
export interface BodyContext {
  readonly operation: Pick<OperationDescriptor, 'id' | 'secrets' | 'check'>
  readonly inputs: InputSettings
  readonly signal: AbortSignal | undefined
  /** Whether only to check the request: nothing is read, and the body has placeholders in it. Default false. */
  readonly dry?: boolean | undefined
}

/** Documented fields that hold an image. */
const IMAGE_FIELDS: readonly string[] = ['promptImage', 'referenceImage']

/** In place of an input that is not read yet; it has the form of a URL. */
const PLACEHOLDER = 'https://placeholder.example/input'

/**
 * Splits a request and rejects what the types reject, for callers without them: a misspelt field would be sent, and
 * charged, without what the caller meant.
 *
 * @throws RequestInvalidError
 */
export function splitRequest(operation: string, request: unknown, shown: readonly string[]): SplitRequest {
  if (!isRecord(request)) throw refused(operation, '/body', 'is not an object')
  const { fields = {}, ...known } = request
  if (!isRecord(fields)) throw refused(operation, '/fields', 'is not an object of further fields')
  rejectUnknown(operation, known, '/body', shown)
  const twice = Object.keys(fields).find((field) => Object.hasOwn(known, field))
  if (twice !== undefined)
    throw refused(operation, `/fields/${twice}`, 'is a field of the request itself; pass it there')
  return { known, fields }
}

/** @throws RequestInvalidError for a name that the documentation doesn't show. */
export function rejectUnknown(
  operation: string,
  value: Readonly<Record<string, unknown>>,
  path: string,
  shown: readonly string[],
): void {
  const unknown = Object.keys(value).find((field) => !shown.includes(field))
  if (unknown === undefined) return
  throw refused(
    operation,
    `${path}/${unknown}`,
    `is not among the documented fields, which are: ${shown.join(', ')}; pass one that you know in 'fields'`,
  )
}

/**
 * Makes the body of a request: inputs become strings, and nothing is added. Everything that can be checked without reading
 * an input is checked before the first one is read or uploaded.
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
    if (value === undefined) continue
    if (IMAGE_FIELDS.includes(field)) putInput('image', value as MediaInput, `/body/${field}`, put)
    else put(value)
  }
  const resolution = { operation: operation.id, putInput }
  for (const [field, value] of Object.entries(fields))
    if (value !== undefined)
      putValue(resolution, value, `/body/${field}`, (resolved) => setOwn(body, field, resolved))
  if (pending.length === 0 && !dry) return body
  await checkInput(operation, { body })
  if (dry) return body
  // One after the other: when one of them can't be sent, the later ones are not uploaded in vain.
  for (const { read, put } of pending) put(await read())
  return body
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
