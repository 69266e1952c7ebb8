import { CollectedBytes } from '@concord/spec-model'

import { readForm } from './read-form.ts'

/** A request's body, read and parsed as far as it could be. */
export type Body =
  | { kind: 'none' }
  | { kind: 'json'; contentType: string; value: unknown; sizeBytes: number }
  | { kind: 'form'; contentType: string; form: FormData; sizeBytes: number }
  | { kind: 'other'; contentType: string; bytes: Uint8Array<ArrayBuffer>; sizeBytes: number }
  | { kind: 'malformed'; contentType: string; reason: string; sizeBytes: number }

/** A body that is larger than it may be. */
export interface BodyTooLarge {
  readonly kind: 'too-large'
  readonly limitBytes: number
}

/**
 * Reads a whole body, of at most `limitBytes`. A larger one is read to its end but not kept, so that the caller
 * gets an answer instead of a broken connection.
 *
 * With `asBytes` it is not parsed, whatever its content type says.
 *
 * Forms are parsed by the platform's own parser, from bytes that are already bounded: it is the one that callers'
 * runtimes use, and it answers a malformed part with an error instead of ending the process.
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
      return malformed('is not a form that can be read')
    }
  }
  return { kind: 'other', contentType, bytes, sizeBytes }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads the bytes of a body; undefined if there are more than `limitBytes`. */
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

/** The media type without its parameters, in lower case. */
export function mediaEssence(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}
