import { createIdleTimer } from '../../core/clock.ts'
import { AudioHandler } from './channel-handler.ts'
import { readObject } from './messages.ts'

/** Handles `/v1/listen`: sends transcripts as audio arrives, and reports voice activity and the end of utterances. */
export class LiveTranscription extends AudioHandler {
  readonly #utteranceEndMs = toMs(this.query.get('utterance_end_ms'))
  readonly #silence = createIdleTimer(this.connection, () => this.#transcribe(this.audio.heardMs))
  readonly #utteranceEnd = createIdleTimer(this.connection, () => this.#endUtterance())
  #transcribedMs = 0
  #lastWordEndMs = 0
  #isSpeaking = false

  message(key: string, payload: unknown): void {
    if (key === 'keepAlive') {
      const { stallEnds } = this.context.choices.binaryKeepAlive
      if (stallEnds === 'with-text-keep-alive') this.entry.stalled = false
      return
    }
    const piece = payload as Uint8Array
    if (readObject(piece)?.['type'] === 'KeepAlive') this.entry.stalled = true
    if (!this.entry.stalled) this.#hear(piece)
  }

  #hear(piece: Uint8Array): void {
    if (!this.receive(piece)) return
    if (!this.#isSpeaking && this.#utteranceEndMs !== undefined) {
      this.#isSpeaking = true
      this.show({ kind: 'voice-activity', atMs: this.#transcribedMs })
    }
    const { segment, flush } = this.context.choices.timing
    while (this.audio.heardMs - this.#transcribedMs >= segment)
      this.#transcribe(this.#transcribedMs + segment)
    this.#silence.touch(flush)
    if (this.#utteranceEndMs !== undefined) this.#utteranceEnd.touch(this.#utteranceEndMs)
  }

  #transcribe(endMs: number): void {
    const startMs = this.#transcribedMs
    if (endMs <= startMs) return
    const words = this.wordsBetween(startMs, endMs)
    this.#lastWordEndMs = words.at(-1)?.endMs ?? this.#lastWordEndMs
    this.show({ kind: 'transcript', words, startMs, endMs, query: this.query })
    this.#transcribedMs = endMs
  }

  #endUtterance(): void {
    this.#transcribe(this.audio.heardMs)
    this.#isSpeaking = false
    this.show({ kind: 'utterance-end', lastWordEndMs: this.#lastWordEndMs })
  }
}

function toMs(text: string | null): number | undefined {
  const value = Number(text ?? NaN)
  return Number.isFinite(value) && value > 0 ? value : undefined
}
