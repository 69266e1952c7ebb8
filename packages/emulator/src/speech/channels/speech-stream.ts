import { reasonsOf } from '../../core/denials.ts'
import type { Mismatch } from '../../core/errors.ts'
import { ChannelHandler } from './channel-handler.ts'
import { readObject } from './messages.ts'
import { SpeechOutput } from './speech-output.ts'

/** Handles `/v1/speak`: synthesizes text, and rejects text that exceeds the character rate limit. */
export class SpeechStream extends ChannelHandler {
  readonly #output = new SpeechOutput(this.connection, this.context.choices, (event) => this.show(event))
  #utterances = 0

  message(_: string, payload: unknown): void {
    const { rate, choices } = this.context
    const { charactersPerMinute: limit } = choices.limits
    const message = payload as { text: string }
    const { length } = [...message.text]
    const key = this.connection.handshake.caller?.key ?? ''
    if (rate.take(key, { limit }, length) !== undefined) {
      this.respond('character-rate', message, { limit })
      return
    }
    this.entry.characters = (this.entry.characters ?? 0) + length
    const index = this.#utterances++
    this.#output.speak(message.text, (durationMs) => ({ kind: 'speech-end', index, durationMs }))
  }

  override rejected(mismatches: readonly Mismatch[], frame: string | Uint8Array): void {
    const isEmpty = typeof frame === 'string' && readObject(frame)?.['text'] === ''
    this.respond(isEmpty ? 'empty-text' : 'message-rejected', frame, { reasons: reasonsOf(mismatches) })
  }
}
