import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'

import { headerValue, type RecordedAnswer } from './exchange.ts'

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>

const codings: Readonly<Record<string, Decompress>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  // Deflate is sent with and without the wrapper of zlib (RFC 9110, section 8.4.1.2).
  deflate: (bytes, options) =>
    promisify(inflate)(bytes, options).catch(() => promisify(inflateRaw)(bytes, options)),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
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
