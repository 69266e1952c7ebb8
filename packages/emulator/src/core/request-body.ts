import { CollectedBytes } from '@concord/spec-model'

import { readForm } from './read-form.ts'

export type Body =
  | { kind: 'none' }
  | { kind: 'json'; contentType: string; value: unknown; sizeBytes: number }
  | { kind: 'form'; contentType: string; form: FormData; sizeBytes: number }
  | { kind: 'other'; contentType: string; bytes: Uint8Array<ArrayBuffer>; sizeBytes: number }
  | { kind: 'malformed'; contentType: string; reason: string; sizeBytes: number }

export interface BodyTooLarge {
  readonly kind: 'too-large'
  readonly limitBytes: number
}

/**
 * Reads and parses a body. A body of more than `limitBytes` is read to its end and discarded, so that the caller gets a
 * response instead of a broken connection.
 *
 * Forms are parsed with the built-in `formData()`. Some other parsers can crash the process if a part is malformed.
 */
export async function readBody(
  request: Request,
  limitBytes: number,
  asBytes = false,
): Promise<Body | BodyTooLarge> {
  const bytes = await readBytes(request, limitBytes)
  if (bytes === undefined) return { kind: 'too-large', limitBytes }
  const contentType = request.headers.get('content-type') ?? ''
  const sizeBytes = bytes.byteLength
  if (sizeBytes === 0 && contentType === '') return { kind: 'none' }
  if (asBytes) return { kind: 'other', contentType, bytes, sizeBytes }
  const essence = mediaEssence(contentType)
  const malformed = (reason: string): Body => ({ kind: 'malformed', contentType, reason, sizeBytes })
  if (essence === 'application/json') {
    if (sizeBytes === 0) return { kind: 'none' }
    try {
      return { kind: 'json', contentType, value: JSON.parse(strictUtf8.decode(bytes)), sizeBytes }
    } catch {
      return malformed('is not JSON')
    }
  }
  if (essence === 'multipart/form-data' || essence === 'application/x-www-form-urlencoded') {
    try {
      const form = await readForm(bytes, contentType)
      return { kind: 'form', contentType, form, sizeBytes }
    } catch {
      return malformed('is not a readable form')
    }
  }
  return { kind: 'other', contentType, bytes, sizeBytes }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns undefined if the body has more than `limitBytes`. */
async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!request.body) return new Uint8Array()
  const collected = new CollectedBytes()
  let sizeBytes = 0
  for await (const chunk of request.body) {
    sizeBytes += chunk.byteLength
    if (sizeBytes <= limitBytes) collected.add(chunk)
    else collected.clear()
  }
  return sizeBytes > limitBytes ? undefined : collected.whole()
}

/** Returns a media type without its parameters, in lower case. */
export function mediaEssence(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

export function textPart(form: FormData, name: string): string | undefined {
  const value = form.get(name)
  return typeof value === 'string' ? value : undefined
}
