import { createIdleTimer } from '../../core/clock.ts'
import type { Mismatch } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { AudioHandler } from './channel-handler.ts'
import { SpeechOutput } from './speech-output.ts'

/**
 * Handles `/v1/agent/converse`: the client sends a Settings message, and then both sides send audio. Until the
 * emulator acknowledges the Settings, it ignores audio and invalid messages.
 */
export class Agent extends AudioHandler {
  readonly #output = new SpeechOutput(this.connection, this.context.choices, (event) => this.show(event))
  readonly #silence = createIdleTimer(this.connection, () => this.#endTurn(this.audio.heardMs))
  #settings: JsonObject | undefined
  #turnStartMs = 0
  #turns = 0

  message(key: string, payload: unknown): void {
    if (key === 'settings') this.#settle(payload as JsonObject)
    else this.#hear(payload as Uint8Array)
  }

  override rejected(mismatches: readonly Mismatch[], frame: string | Uint8Array): void {
    if (this.#settings !== undefined) super.rejected(mismatches, frame)
  }

  #settle(settings: JsonObject): void {
    const { choices } = this.context
    if (!choices.isSettings(settings)) {
      this.respond('message-unused', settings)
      return
    }
    const reason = choices.checkConfiguration({ channel: 'agent', values: settings })
    if (reason !== undefined) {
      this.respond('settings-rejected', settings, { reasons: [reason] })
      return
    }
    this.connection.setTimer(() => {
      this.#settings = settings
      this.entry.settled = true
      this.show({ kind: 'settings-accepted', settings })
    }, choices.timing.settings)
  }

  #hear(piece: Uint8Array): void {
    if (this.#settings === undefined || !this.receive(piece)) return
    const { agentTurn, flush } = this.context.choices.timing
    while (this.audio.heardMs - this.#turnStartMs >= agentTurn) this.#endTurn(this.#turnStartMs + agentTurn)
    this.#silence.touch(flush)
  }

  #endTurn(endMs: number): void {
    if (this.#settings === undefined || endMs <= this.#turnStartMs) return
    const { choices, replies } = this.context
    const words = this.wordsBetween(this.#turnStartMs, endMs)
    const heard = words.map(({ word }) => word).join(' ')
    this.#turnStartMs = endMs
    if (heard === '') return
    const index = this.#turns++
    const reply = replies.take()?.text ?? choices.agentReply({ settings: this.#settings, heard, index })
    this.#output.show({ kind: 'agent-text', role: 'user', text: heard, index })
    this.#output.show({ kind: 'agent-text', role: 'agent', text: reply, index })
    this.#output.speak(reply, () => ({ kind: 'agent-audio-end', index }))
  }
}
