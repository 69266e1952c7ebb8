import { constants, inflateRawSync, inflateSync } from 'node:zlib'

/** The maximum number of filters (encodings such as deflate) to undo for each stream. */
const MAX_DEPTH = 8

/** The maximum expansion factor of LZW. */
const LZW_GROWTH = 2_800

/** The maximum expansion factor of deflate. */
const DEFLATE_GROWTH = 1_032

/** The maximum expansion factors of filters that `unpackedBytes` doesn't undo. */
const GROWTH: readonly (readonly [filter: RegExp, factor: number])[] = [
  [/\/(?:LZWDecode|LZW)\b/g, LZW_GROWTH],
  [/\/(?:RunLengthDecode|RL)\b/g, 64],
  // Brotli's expansion has no practical limit. With this factor, a stream of a few hundred bytes counts as too large.
  [/\/BrotliDecode\b/g, 1_000_000],
]

/** Matches a dictionary's filter entry that refers to another object of the PDF instead of naming the filter. */
const FILTER_ELSEWHERE = /\/(?:Filter|F)\s*(?:\[[^\]]*?\b)?\d+\s+\d+\s+R\b/

/** The search for a stream's dictionary covers this many bytes before the stream. */
const DICTIONARY_BYTES = 4_096

/**
 * Returns whether the streams of a PDF would unpack to more than `limitBytes` in total. A parser would keep the
 * unpacked streams in memory, and a PDF of a few kilobytes can unpack to gigabytes.
 *
 * This function decodes data that looks like zlib, ASCIIHex or ASCII85. For LZW, RunLength and Brotli, it assumes the
 * maximum expansion. If it can't find the names of the filters, it assumes LZW. It ignores filters for images, and
 * can't inspect encrypted streams.
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

/** Returns the maximum expansion factor of the filters that `unpackedBytes` doesn't undo. */
function growthOf(dictionary: string): number {
  // The name of a filter can contain hexadecimal codes, such as `#46` for `F`.
  const plain = dictionary.replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  if (FILTER_ELSEWHERE.test(plain)) return LZW_GROWTH
  return GROWTH.reduce(
    (most, [filter, growth]) => most * growth ** (plain.match(filter)?.length ?? 0),
    // `unpackedBytes` doesn't undo LZW, so it can't undo a later deflate filter. Therefore, the factor includes both.
    /\/(?:LZWDecode|LZW)\b.*\/(?:FlateDecode|Fl)\b/s.test(plain) ? DEFLATE_GROWTH : 1,
  )
}

/** Returns how many bytes a stream unpacks to, at most `limitBytes` + 1. */
function unpackedBytes(content: Buffer, growth: number, limitBytes: number): number {
  let unpacked = content
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const next = inflate(unpacked, limitBytes) ?? fromHex(unpacked) ?? fromBase85(unpacked)
    if (next === 'too-large') return limitBytes + 1
    if (next === undefined) break
    unpacked = next
  }
  return Math.min(unpacked.byteLength * growth, limitBytes + 1)
}

/** Decodes ASCIIHex (ISO 32000-1, section 7.4.2). */
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

/** Decodes ASCII85 (ISO 32000-1, section 7.4.3). */
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

/** Inflates zlib data, even if the end of the data is missing. */
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
