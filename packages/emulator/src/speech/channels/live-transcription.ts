import { createIdleTimer, type IdleTimer } from '../../core/clock.ts'
import type { Mismatch } from '../../core/errors.ts'
import { reasonsOf } from '../../core/denials.ts'
import type { ConnectionHandler } from '../../core/socket-service.ts'
import { listen, type HeardAudio } from '../audio/heard-audio.ts'
import type { OpenSpeech } from '../limits.ts'
import { respondToProblem } from '../problems.ts'
import { wordsBetween, type Voice } from '../scripts.ts'
import type { SpeechChannelHandler, SpeechConnection, SpeechContext } from '../state.ts'
import { mismatchOf, openEntry, readObject, sendMessage } from './messages.ts'

/** `/v1/listen`: transcripts, voice activity and utterance ends as the audio arrives. */
export function liveTranscription(context: SpeechContext): SpeechChannelHandler {
  return (connection) => new LiveTranscription(connection, context)
}

class LiveTranscription implements ConnectionHandler {
  readonly #context: SpeechContext
  readonly #connection: SpeechConnection
  readonly #query: URLSearchParams
  readonly #audio: HeardAudio
  readonly #voice: Voice
  readonly #entry: OpenSpeech
  readonly #utteranceEndMs: number | undefined
  /** Transcribes the remaining audio after a silence. */
  readonly #silence: IdleTimer
  readonly #utteranceEnd: IdleTimer
  #transcribedMs = 0
  #lastWordEndMs = 0
  #isSpeaking = false

  constructor(connection: SpeechConnection, context: SpeechContext) {
    const { choices, scripts } = context
    this.#context = context
    this.#connection = connection
    this.#query = connection.handshake.query
    this.#audio = listen(this.#query, choices)
    this.#voice = { scripted: scripts.takeWords('liveTranscription'), ...choices.hearing }
    this.#utteranceEndMs = toMs(this.#query.get('utterance_end_ms'))
    this.#entry = openEntry(connection, context, { stalled: false })
    this.#silence = createIdleTimer(connection, () => this.#transcribe(this.#audio.heardMs))
    this.#utteranceEnd = createIdleTimer(connection, () => this.#endUtterance())
  }

  message(key: string, payload: unknown): void {
    if (key === 'keepAlive') {
      const { stallEnds } = this.#context.choices.binaryKeepAlive
      if (stallEnds === 'with-text-keep-alive') this.#entry.stalled = false
      return
    }
    const piece = payload as Uint8Array
    if (readObject(piece)?.['type'] === 'KeepAlive') this.#entry.stalled = true
    if (!this.#entry.stalled) this.#hear(piece)
  }

  rejected(mismatches: readonly Mismatch[], frame: string | Uint8Array): void {
    const facts = { reasons: reasonsOf(mismatches) }
    respondToProblem(this.#context.choices, this.#connection, { problem: 'message-rejected', frame, facts })
  }

  closed(): void {
    this.#context.connections.closed(this.#entry)
  }

  #hear(piece: Uint8Array): void {
    const { choices } = this.#context
    this.#audio.hear(piece)
    this.#entry.heardMs = this.#audio.heardMs
    const mismatch = mismatchOf(this.#audio.container, this.#query, 'liveTranscription', choices)
    if (mismatch === 'DATA-0000') {
      respondToProblem(choices, this.#connection, { problem: 'audio-mismatch', frame: piece })
      return
    }
    if (mismatch) this.#voice.isGarbled = mismatch === 'garbled'
    if (!this.#isSpeaking && this.#utteranceEndMs !== undefined) {
      this.#isSpeaking = true
      const event = choices.showEvent({ kind: 'voice-activity', atMs: this.#transcribedMs })
      sendMessage(this.#connection, event)
    }
    const { segment, flush } = choices.timing
    while (this.#audio.heardMs - this.#transcribedMs >= segment)
      this.#transcribe(this.#transcribedMs + segment)
    this.#silence.touch(flush)
    if (this.#utteranceEndMs !== undefined) this.#utteranceEnd.touch(this.#utteranceEndMs)
  }

  /** Sends a transcript of the audio up to `endMs`. */
  #transcribe(endMs: number): void {
    const startMs = this.#transcribedMs
    if (endMs <= startMs) return
    const words = wordsBetween(this.#voice, startMs, endMs)
    this.#lastWordEndMs = words.at(-1)?.endMs ?? this.#lastWordEndMs
    const event = { kind: 'transcript', words, startMs, endMs, query: this.#query } as const
    sendMessage(this.#connection, this.#context.choices.showEvent(event))
    this.#transcribedMs = endMs
  }

  #endUtterance(): void {
    this.#transcribe(this.#audio.heardMs)
    this.#isSpeaking = false
    const event = { kind: 'utterance-end', lastWordEndMs: this.#lastWordEndMs } as const
    sendMessage(this.#connection, this.#context.choices.showEvent(event))
  }
}

function toMs(text: string | null): number | undefined {
  const value = Number(text ?? NaN)
  return Number.isFinite(value) && value > 0 ? value : undefined
}
