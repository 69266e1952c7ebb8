import { promisify } from 'node:util'
import * as zlib from 'node:zlib'

import { headerValue, type RecordedAnswer } from './exchange.ts'

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>

const codings: Readonly<Record<string, Decompress>> = {
  gzip: promisify(zlib.gunzip),
  'x-gzip': promisify(zlib.gunzip),
  // Deflate is sent with and without the wrapper of zlib (RFC 9110, section 8.4.1.2).
  deflate: (bytes, options) =>
    promisify(zlib.inflate)(bytes, options).catch(() => promisify(zlib.inflateRaw)(bytes, options)),
  br: promisify(zlib.brotliDecompress),
  // As a member of the module: Node 20 doesn't have it, and a named import would fail at once.
  ...('zstdDecompress' in zlib ? { zstd: promisify(zlib.zstdDecompress) } : {}),
}
/**
 * The answer with its content as it was before any content coding; undefined if the coding is unknown or broken, or the
 * content would be longer than allowed: a few bytes can stand for gigabytes.
 */
export async function decodedAnswer(
  answer: RecordedAnswer,
  maxBytes: number,
): Promise<RecordedAnswer | undefined> {
  const names = (headerValue(answer.headers, 'content-encoding') ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '' && one !== 'identity')
  if (names.length === 0 || answer.body.length === 0) return answer
  let body = answer.body
  try {
    for (const name of names.toReversed()) {
      const decompress = Object.hasOwn(codings, name) ? codings[name] : undefined
      if (!decompress) return undefined
      body = await decompress(body, { maxOutputLength: maxBytes })
    }
  } catch {
    return undefined
  }
  return { ...answer, body }
}
