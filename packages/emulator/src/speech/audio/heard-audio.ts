import type { SpeechChoices } from '../choices.ts'
import { containerOf, type AudioContainer } from './container.ts'
import { readWav } from './wav.ts'

/** Audio that arrives in pieces: its container and its duration so far. */
export interface HeardAudio {
  readonly container: AudioContainer | undefined
  /** The duration so far, in milliseconds. */
  heardMs: number
  hear(piece: Uint8Array): void
}

/** How many bytes at the start are used to recognize the container. */
const HEAD_BYTES = 4_096

/** Starts listening to audio whose options are in the URL's query. */
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
