import { createHash } from 'node:crypto'

import type { Reply } from '../../core/reply.ts'

interface ServedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  /** When the file last changed, in milliseconds since the Unix epoch. */
  readonly changedAt: number
}

/**
 * Responds to a request for a file according to RFC 9110. Supports If-None-Match, If-Modified-Since and If-Range
 * (section 13), and single ranges (section 14). If the request asks for several ranges, responds with the whole file,
 * which the RFC allows.
 */
export function serveBytes(
  { bytes, contentType, changedAt }: ServedFile,
  headers: Headers,
  method: string,
): Reply {
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`
  const changed = new Date(changedAt).toUTCString()
  const common = { etag, 'last-modified': changed, 'accept-ranges': 'bytes' }
  if (isUnchanged(headers, etag, changedAt)) return { status: 304, headers: common }

  const whole: Reply = { status: 200, headers: { ...common, 'content-type': contentType }, body: bytes }
  const condition = headers.get('if-range')
  const rangeHolds = condition === null || condition === etag || condition === changed
  const range = method === 'GET' && rangeHolds ? readRange(headers.get('range'), bytes.byteLength) : undefined
  if (!range) return whole
  if (range === 'unsatisfiable')
    return { status: 416, headers: { ...common, 'content-range': `bytes */${bytes.byteLength}` } }
  return {
    status: 206,
    headers: {
      ...common,
      'content-type': contentType,
      'content-range': `bytes ${range.first}-${range.last}/${bytes.byteLength}`,
    },
    body: bytes.slice(range.first, range.last + 1),
  }
}

function isUnchanged(headers: Headers, etag: string, changedAt: number): boolean {
  const known = headers.get('if-none-match')
  if (known !== null)
    return known.trim() === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  const since = Date.parse(headers.get('if-modified-since') ?? '')
  return !Number.isNaN(since) && Math.floor(changedAt / 1_000) * 1_000 <= since
}

/** Returns `undefined` if the header is absent or must be ignored. */
function readRange(
  header: string | null,
  sizeBytes: number,
): { first: number; last: number } | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { first: sizeBytes - length, last: sizeBytes - 1 }
  }
  const first = Number(from)
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1)
  if (to !== '' && Number(to) < first) return undefined
  return first >= sizeBytes ? 'unsatisfiable' : { first, last }
}
