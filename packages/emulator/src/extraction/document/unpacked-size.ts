import { constants, inflateRawSync, inflateSync } from 'node:zlib'

/** How many filters a stream may be packed with, one inside the other. */
const DEEPEST = 4

/** The maximum size per byte of a stream after each of these filters. */
const GROWTH: readonly (readonly [filter: RegExp, factor: number])[] = [
  [/\/(?:LZWDecode|LZW)\b/, 2_800],
  [/\/(?:RunLengthDecode|RL)\b/, 64],
]

/**
 * Whether the streams of a PDF would unpack to more than `limitBytes` together. A PDF of a few kilobytes can hold
 * gigabytes, which its parser would hold in memory. Each stream is inflated as often as it can be, whatever filters its
 * dictionary names, and never past the limit; for the other filters that make a stream grow, an upper bound is taken.
 * The streams of an encrypted PDF can't be looked at.
 */
export function unpacksTooLarge(bytes: Uint8Array, limitBytes: number): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let leftBytes = limitBytes
  for (let at = file.indexOf('stream'); at >= 0; at = file.indexOf('stream', at + 6)) {
    if (file.toString('latin1', Math.max(0, at - 3), at) === 'end') continue
    const start = skipLineEnd(file, at + 6)
    const end = file.indexOf('endstream', start)
    const content = file.subarray(start, end < 0 ? file.byteLength : end)
    const dictionary = file.toString('latin1', Math.max(0, at - 1024), at)
    leftBytes -= unpackedBytes(content, dictionary.slice(dictionary.lastIndexOf(' obj')), leftBytes)
    if (leftBytes < 0) return true
  }
  return false
}

function skipLineEnd(file: Buffer, at: number): number {
  const afterReturn = file[at] === 0x0d ? at + 1 : at
  return file[afterReturn] === 0x0a ? afterReturn + 1 : afterReturn
}

/** How many bytes a stream unpacks to; `limitBytes` + 1 if it is more than `limitBytes`. */
function unpackedBytes(content: Buffer, dictionary: string, limitBytes: number): number {
  let unpacked = content
  for (let depth = 0; depth < DEEPEST; depth++) {
    const next = inflate(unpacked, limitBytes)
    if (next === 'too-large') return limitBytes + 1
    if (next === undefined) break
    unpacked = next
  }
  const factor = GROWTH.reduce(
    (most, [filter, growth]) => (filter.test(dictionary) ? most * growth : most),
    1,
  )
  return Math.min(unpacked.byteLength * factor, limitBytes + 1)
}

/** Inflates bytes, as far as they go; `undefined` if they aren't deflated. */
function inflate(bytes: Buffer, limitBytes: number): Buffer | 'too-large' | undefined {
  const options = { maxOutputLength: Math.max(1, limitBytes), finishFlush: constants.Z_SYNC_FLUSH }
  const isZlib = ((bytes[0] ?? 0) & 0x0f) === 8 && (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0
  if (!isZlib) return undefined
  for (const read of [() => inflateSync(bytes, options), () => inflateRawSync(bytes.subarray(2), options)])
    try {
      return read()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return 'too-large'
    }
  return undefined
}
