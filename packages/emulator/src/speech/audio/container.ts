/** An audio container that is recognized by its first bytes. */
export type AudioContainer = 'wav' | 'ogg' | 'mp3'

/**
 * Recognizes a container by its first bytes: a WAV or Ogg header, an ID3 tag, or two consecutive MP3 frames. A single frame
 * could also be raw samples.
 */
export function containerOf(bytes: Uint8Array): AudioContainer | undefined {
  if (startsWith(bytes, 'RIFF') && startsWith(bytes.subarray(8), 'WAVE')) return 'wav'
  if (startsWith(bytes, 'OggS')) return 'ogg'
  if (startsWith(bytes, 'ID3')) return 'mp3'
  const length = mp3FrameBytes(bytes)
  return length !== undefined && mp3FrameBytes(bytes.subarray(length)) !== undefined ? 'mp3' : undefined
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return [...text].every((letter, index) => bytes[index] === letter.charCodeAt(0))
}

const MP3_KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const MP3_RATES = [44_100, 48_000, 32_000]

/** Returns the length of the MPEG-1 layer III frame at the start, or undefined if the bytes aren't one. */
function mp3FrameBytes(bytes: Uint8Array): number | undefined {
  const [first = 0, second = 0, third = 0] = bytes
  if (first !== 0xff || (second & 0xfe) !== 0xfa) return undefined
  const kbits = MP3_KBITS[third >> 4]
  const rate = MP3_RATES[(third >> 2) & 3]
  if (!kbits || rate === undefined) return undefined
  return Math.floor((144_000 * kbits) / rate) + ((third >> 1) & 1)
}
