import { constants, inflateRawSync, inflateSync } from 'node:zlib'

/** How many filters a stream may be packed with, one inside the other. */
const DEEPEST = 8

/** The maximum size per byte of a stream after LZW. No other filter makes a stream grow more. */
const LZW_GROWTH = 2_800

/** The maximum size per byte of a stream after each of these filters. */
const GROWTH: readonly (readonly [filter: RegExp, factor: number])[] = [
  [/\/(?:LZWDecode|LZW)\b/, LZW_GROWTH],
  [/\/(?:RunLengthDecode|RL)\b/, 64],
]

/** A filter that another object names. */
const FILTER_ELSEWHERE = /\/(?:Filter|F)\s*(?:\[[^\]]*?\b)?\d+\s+\d+\s+R\b/

/** The part of a file in which the dictionary of a stream is looked for. */
const DICTIONARY_BYTES = 4_096

/**
 * Whether the streams of a PDF would unpack to more than `limitBytes` together. A PDF of a few kilobytes can hold
 * gigabytes, which its parser would hold in memory. Each stream is inflated and decoded from ASCII as often as it can be,
 * whatever filters its dictionary names, and never past the limit; for the other filters that make a stream grow, and for
 * those that can't be seen, an upper bound is taken.
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
    const before = file.toString('latin1', Math.max(0, at - DICTIONARY_BYTES), at)
    const from = before.lastIndexOf('obj')
    const growth = from < 0 ? LZW_GROWTH : growthOf(before.slice(from))
    leftBytes -= unpackedBytes(content, growth, leftBytes)
    if (leftBytes < 0) return true
  }
  return false
}

function skipLineEnd(file: Buffer, at: number): number {
  const afterReturn = file[at] === 0x0d ? at + 1 : at
  return file[afterReturn] === 0x0a ? afterReturn + 1 : afterReturn
}

/** The maximum size per byte of a stream after the filters that its dictionary names and that aren't undone here. */
function growthOf(dictionary: string): number {
  // Any character of a name can be written as its number.
  const plain = dictionary.replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  if (FILTER_ELSEWHERE.test(plain)) return LZW_GROWTH
  return GROWTH.reduce((most, [filter, growth]) => (filter.test(plain) ? most * growth : most), 1)
}

/** How many bytes a stream unpacks to; `limitBytes` + 1 if it is more than `limitBytes`. */
function unpackedBytes(content: Buffer, growth: number, limitBytes: number): number {
  let unpacked = content
  for (let depth = 0; depth < DEEPEST; depth++) {
    const next = inflate(unpacked, limitBytes) ?? fromHex(unpacked) ?? fromBase85(unpacked)
    if (next === 'too-large') return limitBytes + 1
    if (next === undefined) break
    unpacked = next
  }
  return Math.min(unpacked.byteLength * growth, limitBytes + 1)
}

/** Undoes ASCIIHexDecode; `undefined` if the bytes are not in that encoding (ISO 32000-1, section 7.4.2). */
function fromHex(bytes: Buffer): Buffer | undefined {
  if (!/^\s*[0-9a-f]/i.test(bytes.toString('latin1', 0, 16))) return undefined
  const out = Buffer.alloc(Math.ceil(bytes.byteLength / 2))
  let digits = 0
  for (const byte of bytes) {
    if (byte === 0x3e) break
    if (byte <= 0x20) continue
    const digit = Number.parseInt(String.fromCharCode(byte), 16)
    if (Number.isNaN(digit)) return undefined
    out[digits >> 1]! |= digits % 2 === 0 ? digit << 4 : digit
    digits++
  }
  return digits === 0 ? undefined : out.subarray(0, (digits + 1) >> 1)
}

/** Undoes ASCII85Decode; `undefined` if the bytes are not in that encoding (ISO 32000-1, section 7.4.3). */
function fromBase85(bytes: Buffer): Buffer | undefined {
  if (!/~\s*>\s*$/.test(bytes.toString('latin1', Math.max(0, bytes.byteLength - 64)))) return undefined
  const out = Buffer.alloc(4 * bytes.byteLength)
  let [written, digits, value] = [0, 0, 0]
  for (const byte of bytes) {
    if (byte === 0x7e) break
    if (byte === 0x7a && digits === 0) written += 4
    else if (byte >= 0x21 && byte <= 0x75) {
      value = value * 85 + byte - 0x21
      if (++digits < 5) continue
      out.writeUInt32BE(value % 2 ** 32, written)
      written += 4
      digits = value = 0
    } else if (byte > 0x20) return undefined
  }
  return out.subarray(0, written)
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
