import { listIssues } from '../core/check.ts'
import { type Issue, RequestInvalidError } from '../core/errors.ts'
import type { BodyDescriptor, OperationDescriptor } from '../core/operation.ts'
import type { CallOptions } from './call-options.ts'
import { mediaTypeFor } from './media-type.ts'
import { type Field, writeForm } from './multipart.ts'
import { Upload } from './streamed-body.ts'
import { toUploadSource } from './upload-source.ts'

/** A body ready to be sent. */
export interface EncodedBody {
  readonly content: string | Upload | undefined
  /** The media type, where it is not the one that every call of the operation has. */
  readonly contentType: string | undefined
}

export const NO_BODY: EncodedBody = { content: undefined, contentType: undefined }

/** Whether a body can be sent (again); asked before each retry. */
export function isReplayable({ content }: EncodedBody): boolean {
  return content === undefined || typeof content === 'string' || content.replayable()
}

/** Writes a body as the contract says. @throws RequestInvalidError when something in it cannot be read. */
export function encodeBody(
  operation: OperationDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): EncodedBody | Promise<EncodedBody> {
  const body = operation.body
  if (body?.kind === 'multipart') return encodeForm(operation, body, value, options)
  if (options?.extra?.parts !== undefined) {
    refuse(operation, [{ path: '/parts', reason: 'extra parts need an operation whose body is a form' }])
  }
  if (body === undefined || body.kind === 'json') return encodeJson(body, value, options)
  if (options?.extra?.body !== undefined) {
    refuse(operation, [{ path: '/body', reason: 'extra fields need an operation whose body is JSON' }])
  }
  if (value === undefined) return NO_BODY
  if (body.kind === 'text') return { content: String(value), contentType: undefined }
  return encodeBinary(operation, body, value, options)
}

function encodeJson(
  body: BodyDescriptor | undefined,
  value: unknown,
  options: CallOptions | undefined,
): EncodedBody {
  const extra = options?.extra?.body
  const whole = extra === undefined ? value : { ...(value as object), ...extra }
  if (whole === undefined) return NO_BODY
  return { content: JSON.stringify(whole), contentType: body === undefined ? 'application/json' : undefined }
}

async function encodeBinary(
  operation: OperationDescriptor,
  body: BodyDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): Promise<EncodedBody> {
  const source = await toUploadSource(value, '/body')
  if ('reason' in source) return refuse(operation, [source])
  const wildcard = body.contentType.includes('*')
  const contentType = source.contentType ?? (wildcard ? mediaTypeFor(source.filename, []) : body.contentType)
  const { sizeBytes, replayable } = source
  return {
    content: new Upload({ sizeBytes, replayable, pieces: [source] }, options?.onUploadProgress),
    contentType,
  }
}

async function encodeForm(
  operation: OperationDescriptor,
  body: BodyDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): Promise<EncodedBody> {
  const fields = [
    ...toFields((value ?? {}) as object, '/body', body),
    ...toFields(options?.extra?.parts ?? {}, '/parts', undefined),
  ]
  const form = await writeForm(fields, `concord-${crypto.randomUUID()}`)
  if (!('pieces' in form)) return refuse(operation, form)
  return { content: new Upload(form, options?.onUploadProgress), contentType: form.contentType }
}

/** The fields of a form; an array gives a field for each item. */
function toFields(values: object, place: string, body: BodyDescriptor | undefined): Field[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const descriptor = body?.parts?.[name]
    const items = Array.isArray(value) && descriptor?.kind !== 'json' ? (value as unknown[]) : [value]
    return items
      .filter((item) => item !== undefined && item !== null)
      .map((item) => ({ name, value: item, descriptor, place: `${place}/${name}` }))
  })
}

function refuse(operation: OperationDescriptor, issues: readonly Issue[]): never {
  throw new RequestInvalidError(
    `${operation.id}: the body cannot be sent; nothing was sent. ${listIssues(issues)}`,
    issues,
    { operation: operation.id },
  )
}
