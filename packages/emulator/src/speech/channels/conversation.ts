import { createIdleTimer } from '../../core/clock.ts'
import { reasonsOf } from '../../core/denials.ts'
import type { Mismatch } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ConversationValues, TurnStage } from '../model.ts'
import { AudioHandler } from './channel-handler.ts'
import { readObject } from './messages.ts'

interface ConfigureMessage {
  readonly thresholds?: JsonObject
  readonly keyterms?: readonly string[]
}

/** Handles `/v2/listen`: sends turn events as audio arrives, and responds to Configure messages. */
export class Conversation extends AudioHandler {
  readonly #silence = createIdleTimer(this.connection, () => {
    if (this.#turn.next !== 'start') this.#endTurn(this.audio.heardMs)
  })
  #values: ConversationValues = this.context.choices.conversation
  /** The current turn. `updates` counts the `start` and `update` events that were sent. */
  #turn: { index: number; startMs: number; next: TurnStage; updates: number } = {
    index: 0,
    startMs: 0,
    next: 'start',
    updates: 0,
  }

  message(key: string, payload: unknown): void {
    if (key === 'configure') this.#configure(payload as ConfigureMessage)
    else this.#hear(payload as Uint8Array)
  }

  override rejected(mismatches: readonly Mismatch[], frame: string | Uint8Array): void {
    const isConfigure = typeof frame === 'string' && readObject(frame)?.['type'] === 'Configure'
    const problem = isConfigure ? 'configure-rejected' : 'message-rejected'
    this.respond(problem, frame, { reasons: reasonsOf(mismatches) })
  }

  #configure(message: ConfigureMessage): void {
    const { choices } = this.context
    const thresholds = { ...this.#values.thresholds, ...message.thresholds }
    const values = thresholds as JsonObject
    const reason = choices.checkConfiguration({ channel: 'conversation', values })
    if (reason !== undefined) {
      this.respond('configure-rejected', message as JsonObject, { reasons: [reason] })
      return
    }
    const kept = choices.conversation.keytermsWhenOmitted === 'keep' ? this.#values.keyterms : []
    this.#values = { thresholds, keyterms: message.keyterms ?? kept }
    this.show({ kind: 'configured', values: this.#values })
  }

  #hear(piece: Uint8Array): void {
    const wasContainer = this.audio.container !== undefined
    if (!this.receive(piece)) return
    if (this.audio.container && !wasContainer && this.query.has('language')) {
      const reasons = ['language must not be set for containerized audio']
      this.respond('message-rejected', piece, { reasons })
    }
    while (this.connection.isOpen && this.#sendNextEvent(this.audio.heardMs));
    const timeoutMs = Number(this.#values.thresholds['eot_timeout_ms'])
    this.#silence.touch(Number.isFinite(timeoutMs) ? timeoutMs : 0)
  }

  /** Sends the turn's next event if enough audio has arrived for it. Returns whether it sent the event. */
  #sendNextEvent(heardMs: number): boolean {
    const { turn, turnUpdate, eagerEnd } = this.context.choices.timing
    const current = this.#turn
    const { startMs } = current
    if (current.next === 'start') {
      if (heardMs <= startMs) return false
      this.#sendTurn('start', startMs)
      this.#turn = { ...current, next: 'update', updates: 1 }
      return true
    }
    const updateAtMs = startMs + current.updates * turnUpdate
    const eagerAtMs = startMs + turn - eagerEnd
    const isUpdate = current.next === 'update' && updateAtMs < eagerAtMs
    const dueMs = isUpdate ? updateAtMs : current.next === 'update' ? eagerAtMs : startMs + turn
    if (dueMs > heardMs) return false
    if (isUpdate) {
      this.#sendTurn('update', dueMs)
      this.#turn.updates++
    } else if (current.next === 'update') {
      this.#sendTurn('eager-end', dueMs)
      this.#turn.next = 'eager-end'
    } else this.#endTurn(dueMs)
    return true
  }

  #endTurn(endMs: number): void {
    const { index, next } = this.#turn
    if (next === 'update') this.#sendTurn('eager-end', endMs)
    this.#sendTurn('end', endMs)
    this.#turn = { index: index + 1, startMs: endMs, next: 'start', updates: 0 }
  }

  #sendTurn(stage: TurnStage, endMs: number): void {
    const { index, startMs } = this.#turn
    const words = this.wordsBetween(startMs, endMs)
    this.show({ kind: 'turn', stage, index, words, startMs, endMs, query: this.query })
  }
}
