import { toPcm } from '../audio/wav.ts'
import type { SpeechChoices } from '../choices.ts'
import type { SpeechEvent } from '../model.ts'
import type { SpeechConnection } from '../state.ts'

/** Sends speech and events on a connection, in the order in which they were queued. */
export class SpeechOutput {
  readonly #connection: SpeechConnection
  readonly #choices: SpeechChoices
  readonly #showEvent: (event: SpeechEvent) => void
  readonly #queue: (Uint8Array | SpeechEvent)[] = []
  #isSending = false

  constructor(connection: SpeechConnection, choices: SpeechChoices, showEvent: (event: SpeechEvent) => void) {
    this.#connection = connection
    this.#choices = choices
    this.#showEvent = showEvent
  }

  /** Queues speech, and then the event that `endedWith` returns. */
  speak(text: string, endedWith: (durationMs: number) => SpeechEvent): void {
    const { samples, sampleRate } = this.#choices.speak(text)
    const pcm = toPcm(samples)
    const durationMs = (samples.length / sampleRate) * 1000
    const frameBytes = Math.max(2, 2 * Math.round((sampleRate * this.#choices.timing.frame) / 1000))
    for (let offset = 0; offset < pcm.byteLength; offset += frameBytes)
      this.#queue.push(pcm.subarray(offset, offset + frameBytes))
    this.show(endedWith(durationMs))
  }

  /** Queues an event after the speech that is already queued. */
  show(event: SpeechEvent): void {
    this.#queue.push(event)
    if (!this.#isSending) this.#continue()
  }

  #continue(): void {
    this.#isSending = true
    const { frameInterval } = this.#choices.timing
    for (let item = this.#queue.shift(); item; item = this.#queue.shift()) {
      if (!(item instanceof Uint8Array)) {
        this.#showEvent(item)
        continue
      }
      this.#connection.send('audio', item)
      if (frameInterval <= 0) continue
      this.#connection.setTimer(() => this.#continue(), frameInterval)
      return
    }
    this.#isSending = false
  }
}
