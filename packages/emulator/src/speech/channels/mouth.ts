import type { JsonLike } from '../../core/json.ts'
import { toPcm } from '../audio/wav.ts'
import type { SpeechChoices } from '../choices.ts'
import type { SpeechConnection } from '../context.ts'
import { tell } from './event.ts'

/** Says things on a connection one after the other: audio in frames, and events between them. */
export interface Mouth {
  /** Speaks a text, and tells its end with an event made of how long it is. */
  speak(text: string, endedWith: (durationMs: number) => JsonLike | undefined): void
  /** Tells an event, after what is being said. */
  tell(event: JsonLike | undefined): void
}

/** Makes the mouth of a connection. */
export function createMouth(connection: SpeechConnection, choices: SpeechChoices): Mouth {
  const queue: (Uint8Array | { event: JsonLike | undefined })[] = []
  let isSpeaking = false

  function goOn(): void {
    isSpeaking = true
    for (let item = queue.shift(); item; item = queue.shift()) {
      if (!(item instanceof Uint8Array)) {
        tell(connection, item.event)
        continue
      }
      connection.send('audio', item)
      if (choices.timing.frameInterval <= 0) continue
      connection.setTimer(goOn, choices.timing.frameInterval)
      return
    }
    isSpeaking = false
  }

  return {
    speak(text, endedWith) {
      const { timing } = choices
      const { samples, sampleRate } = choices.speak(text)
      const pcm = toPcm(samples)
      const durationMs = (samples.length / sampleRate) * 1000
      const frameBytes = Math.max(2, 2 * Math.round((sampleRate * timing.frame) / 1000))
      for (let offset = 0; offset < pcm.byteLength; offset += frameBytes)
        queue.push(pcm.subarray(offset, offset + frameBytes))
      queue.push({ event: endedWith(durationMs) })
      if (!isSpeaking) goOn()
    },
    tell(event) {
      queue.push({ event })
      if (!isSpeaking) goOn()
    },
  }
}
