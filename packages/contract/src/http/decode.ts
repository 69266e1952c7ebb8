import { promisify } from 'node:util'
import * as zlib from 'node:zlib'

import { headerValue, type RecordedResponse } from './exchange.ts'

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>

const codings: Readonly<Record<string, Decompress>> = {
  gzip: promisify(zlib.gunzip),
  'x-gzip': promisify(zlib.gunzip),
  // Servers send deflate with and without the zlib wrapper (RFC 9110, section 8.4.1.2).
  deflate: (bytes, options) =>
    promisify(zlib.inflate)(bytes, options).catch(() => promisify(zlib.inflateRaw)(bytes, options)),
  br: promisify(zlib.brotliDecompress),
  // Node before 22.15 doesn't have `zstdDecompress`. Importing it by name would fail there.
  ...('zstdDecompress' in zlib ? { zstd: promisify(zlib.zstdDecompress) } : {}),
}

/**
 * Decompresses a response body, as the Content-Encoding header says. Returns undefined if an encoding is unknown, the
 * content is corrupt, or the result would be longer than `maxBytes` (a few bytes can decompress to gigabytes).
 */
export async function decodedResponse(
  response: RecordedResponse,
  maxBytes: number,
): Promise<RecordedResponse | undefined> {
  const names = (headerValue(response.headers, 'content-encoding') ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '' && one !== 'identity')
  if (names.length === 0 || response.body.length === 0) return response
  let body = response.body
  try {
    for (const name of names.toReversed()) {
      const decompress = Object.hasOwn(codings, name) ? codings[name] : undefined
      if (!decompress) return undefined
      body = await decompress(body, { maxOutputLength: maxBytes })
    }
  } catch {
    return undefined
  }
  return { ...response, body }
}
