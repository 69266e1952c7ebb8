import type { SpeechChoices } from '../choices.ts'
import type { AudioContainer } from '../model.ts'
import { readWav } from './wav.ts'

/** Audio that arrives in pieces: its container and its duration so far. */
export interface HeardAudio {
  readonly container: AudioContainer | undefined
  heardMs: number
  hear(piece: Uint8Array): void
}

/** How many bytes from the start of the audio are kept to recognize the container. */
const HEAD_BYTES = 4_096

export function listen(query: URLSearchParams, choices: SpeechChoices): HeardAudio {
  let head = new Uint8Array()
  let receivedBytes = 0
  let container: AudioContainer | undefined
  let headerBytes = 0
  let bytesPerSecond = choices.bytesPerSecond({ query })

  return {
    get container() {
      return container
    },
    get heardMs() {
      return (Math.max(0, receivedBytes - headerBytes) / bytesPerSecond) * 1000
    },
    hear(piece) {
      receivedBytes += piece.byteLength
      if (head.byteLength >= HEAD_BYTES) return
      const longer = new Uint8Array(Math.min(HEAD_BYTES, head.byteLength + piece.byteLength))
      longer.set(head)
      longer.set(piece.subarray(0, longer.byteLength - head.byteLength), head.byteLength)
      head = longer
      container = containerOf(head)
      if (container === undefined) return
      const wav = container === 'wav' ? readWav(head) : undefined
      headerBytes = wav?.dataOffset ?? 0
      bytesPerSecond = wav?.bytesPerSecond ?? choices.bytesPerSecond({ query, container })
    },
  }
}

/**
 * Recognizes a container by its first bytes: a WAV or Ogg header, an ID3 tag, or two consecutive MP3 frames. One MP3
 * frame isn't enough, because raw samples can look like a frame.
 */
function containerOf(bytes: Uint8Array): AudioContainer | undefined {
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

/** Returns the length of the frame at the start, or `undefined` if there isn't an MPEG-1 layer III frame. */
function mp3FrameBytes(bytes: Uint8Array): number | undefined {
  const [first = 0, second = 0, third = 0] = bytes
  if (first !== 0xff || (second & 0xfe) !== 0xfa) return undefined
  const kbits = MP3_KBITS[third >> 4]
  const rate = MP3_RATES[(third >> 2) & 3]
  if (!kbits || rate === undefined) return undefined
  return Math.floor((144_000 * kbits) / rate) + ((third >> 1) & 1)
}
