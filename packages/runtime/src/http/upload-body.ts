import type { BodyDescriptor, OperationDescriptor } from '../core/operation.ts'
import { type EncodedBody, NO_BODY, refuseBody } from './body.ts'
import type { CallOptions } from './call-options.ts'
import { mediaTypeFor } from './media-type.ts'
import { type Field, writeForm } from './multipart.ts'
import { Upload } from './streamed-body.ts'
import { toUploadSource } from './upload-source.ts'

/** Writes a body that is a form, or bytes. */
export async function encodeUpload(
  operation: OperationDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): Promise<EncodedBody> {
  const { body } = operation
  if (body?.kind === 'multipart') return encodeForm(operation, body, value, options)
  if (body === undefined || value === undefined) return NO_BODY
  return encodeBinary(operation, body, value, options)
}

async function encodeBinary(
  operation: OperationDescriptor,
  body: BodyDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): Promise<EncodedBody> {
  const source = await toUploadSource(value, '/body')
  if ('reason' in source) return refuseBody(operation, [source])
  const wildcard = body.contentType.includes('*')
  const contentType = source.contentType ?? (wildcard ? mediaTypeFor(source.filename, []) : body.contentType)
  const { sizeBytes, replayable } = source
  const pieces = [source]
  return { content: new Upload({ sizeBytes, replayable, pieces }, options?.onUploadProgress), contentType }
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
  const form = await writeForm(fields, `concord-${randomName()}`)
  if (!('pieces' in form)) return refuseBody(operation, form)
  return { content: new Upload(form, options?.onUploadProgress), contentType: form.contentType }
}

/** Not every host has `crypto`, and not every page has all of it. Nothing secret depends on a boundary. */
function randomName(): string {
  const { crypto } = globalThis as { readonly crypto?: Partial<Crypto> }
  if (typeof crypto?.randomUUID === 'function') return crypto.randomUUID()
  return Array.from({ length: 4 }, () => Math.random().toString(36).slice(2, 12)).join('')
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
