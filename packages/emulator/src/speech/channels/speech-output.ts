import type { JsonLike } from '../../core/json.ts'
import { toPcm } from '../audio/wav.ts'
import type { SpeechChoices } from '../choices.ts'
import type { SpeechConnection } from '../state.ts'
import { sendMessage } from './messages.ts'

/** Sends speech on a connection, one utterance after another: frames of audio, with events in between. */
export class SpeechOutput {
  readonly #connection: SpeechConnection
  readonly #choices: SpeechChoices
  readonly #queue: (Uint8Array | { event: JsonLike | undefined })[] = []
  #isSending = false

  constructor(connection: SpeechConnection, choices: SpeechChoices) {
    this.#connection = connection
    this.#choices = choices
  }

  /** Queues speech, followed by an event that depends on the speech's duration. */
  speak(text: string, endedWith: (durationMs: number) => JsonLike | undefined): void {
    const { samples, sampleRate } = this.#choices.speak(text)
    const pcm = toPcm(samples)
    const durationMs = (samples.length / sampleRate) * 1000
    const frameBytes = Math.max(2, 2 * Math.round((sampleRate * this.#choices.timing.frame) / 1000))
    for (let offset = 0; offset < pcm.byteLength; offset += frameBytes)
      this.#queue.push(pcm.subarray(offset, offset + frameBytes))
    this.send(endedWith(durationMs))
  }

  /** Queues an event after the speech that is already queued. */
  send(event: JsonLike | undefined): void {
    this.#queue.push({ event })
    if (!this.#isSending) this.#continue()
  }

  #continue(): void {
    this.#isSending = true
    const { frameInterval } = this.#choices.timing
    for (let item = this.#queue.shift(); item; item = this.#queue.shift()) {
      if (!(item instanceof Uint8Array)) {
        sendMessage(this.#connection, item.event)
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
