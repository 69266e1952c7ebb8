import { headerValue, type HeaderLine } from './exchange.ts'

/** One part of a multipart form. `body` has the bytes as they were sent. @public */
export interface FormPart {
  readonly name: string
  readonly fileName?: string
  readonly contentType?: string
  readonly body: Uint8Array
}

type FormReading =
  | { readonly parts: readonly FormPart[]; readonly problem?: undefined }
  | { readonly problem: string }

/** Reads a multipart/form-data body (RFC 7578, RFC 2046 section 5.1). */
export function readForm(contentType: string | undefined, body: Uint8Array): FormReading {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '')
  const text = boundary?.[1] ?? boundary?.[2]
  if (!text) return { problem: 'the content type has no `boundary` parameter' }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const delimiter = Buffer.from(`\r\n--${text}`)
  const first = Buffer.from(`--${text}`)
  if (!bytes.subarray(0, first.length).equals(first))
    return { problem: 'the body does not start with the boundary' }
  const parts: FormPart[] = []
  let at = first.length
  for (;;) {
    if (bytes.subarray(at, at + 2).toString('latin1') === '--') return { parts }
    if (bytes.subarray(at, at + 2).toString('latin1') !== '\r\n')
      return { problem: 'a boundary line is malformed' }
    const headerEnd = bytes.indexOf('\r\n\r\n', at)
    if (headerEnd < 0) return { problem: "a part's headers don't end with an empty line" }
    const bodyEnd = bytes.indexOf(delimiter, headerEnd + 2)
    if (bodyEnd < 0) return { problem: 'the body ends without a closing boundary' }
    const part = readPart(bytes.subarray(at + 2, headerEnd).toString('utf8'), bytes, headerEnd + 4, bodyEnd)
    if (typeof part === 'string') return { problem: part }
    parts.push(part)
    at = bodyEnd + delimiter.length
  }
}

function readPart(head: string, bytes: Buffer, start: number, end: number): FormPart | string {
  const headers: HeaderLine[] = []
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon < 1) return 'a part has a malformed header'
    headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()])
  }
  const disposition = headerValue(headers, 'content-disposition') ?? ''
  if (!/^form-data\s*(;|$)/i.test(disposition)) return 'a part has no form-data disposition'
  const name = quoted(disposition, 'name')
  if (name === undefined) return 'a part has no name'
  const fileName = quoted(disposition, 'filename')
  const contentType = headerValue(headers, 'content-type')
  return {
    name,
    ...(fileName === undefined ? {} : { fileName }),
    ...(contentType === undefined ? {} : { contentType }),
    body: new Uint8Array(bytes.subarray(start, Math.max(start, end))),
  }
}

/** HTML forms escape quotes and line breaks as `%22`, `%0D` and `%0A`. */
function quoted(disposition: string, key: string): string | undefined {
  const found = new RegExp(`;\\s*${key}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(disposition)?.[1]
  return found
    ?.replace(/%22/g, '"')
    .replace(/%0D/gi, '\r')
    .replace(/%0A/gi, '\n')
    .replace(/\\(["\\])/g, '$1')
}
