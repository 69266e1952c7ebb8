import { createIdleTimer, type IdleTimer } from '../../core/clock.ts'
import type { Mismatch } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { reasonsOf } from '../../core/denials.ts'
import type { ConnectionHandler } from '../../core/socket-service.ts'
import { listen, type HeardAudio } from '../audio/heard-audio.ts'
import type { OpenSpeech } from '../limits.ts'
import type { ConversationValues, TurnStage } from '../model.ts'
import { respondToProblem, type ProblemMessage } from '../problems.ts'
import { wordsBetween, type Voice } from '../scripts.ts'
import type { SpeechChannelHandler, SpeechConnection, SpeechContext } from '../state.ts'
import { mismatchOf, openEntry, readObject, sendMessage } from './messages.ts'

/** `/v2/listen`: turns as the audio arrives, and Configure. */
export function conversation(context: SpeechContext): SpeechChannelHandler {
  return (connection) => new Conversation(connection, context)
}

/** The values of a Configure message. */
interface ConfigureMessage {
  readonly thresholds?: JsonObject
  readonly keyterms?: readonly string[]
}

class Conversation implements ConnectionHandler {
  readonly #context: SpeechContext
  readonly #connection: SpeechConnection
  readonly #query: URLSearchParams
  readonly #audio: HeardAudio
  readonly #voice: Voice
  readonly #entry: OpenSpeech
  /** Ends the turn after a silence. */
  readonly #silence: IdleTimer
  #values: ConversationValues
  /** The current turn; `updates` is the number of its next update. */
  #turn: { index: number; startMs: number; next: TurnStage; updates: number } = {
    index: 0,
    startMs: 0,
    next: 'start',
    updates: 0,
  }

  constructor(connection: SpeechConnection, context: SpeechContext) {
    const { choices, scripts } = context
    this.#context = context
    this.#connection = connection
    this.#query = connection.handshake.query
    this.#audio = listen(this.#query, choices)
    this.#voice = { scripted: scripts.takeWords('conversation'), ...choices.hearing }
    this.#entry = openEntry(connection, context)
    const { thresholds, keyterms } = choices.conversation
    this.#values = { thresholds, keyterms }
    this.#silence = createIdleTimer(connection, () => {
      if (this.#turn.next !== 'start') this.#endTurn(this.#audio.heardMs)
    })
  }

  message(key: string, payload: unknown): void {
    if (key === 'configure') this.#configure(payload as ConfigureMessage)
    else this.#hear(payload as Uint8Array)
  }

  rejected(mismatches: readonly Mismatch[], frame: string | Uint8Array): void {
    const isConfigure = typeof frame === 'string' && readObject(frame)?.['type'] === 'Configure'
    const problem = isConfigure ? 'configure-rejected' : 'message-rejected'
    this.#respondToProblem({ problem, frame, facts: { reasons: reasonsOf(mismatches) } })
  }

  closed(): void {
    this.#context.connections.closed(this.#entry)
  }

  #respondToProblem(message: ProblemMessage): void {
    respondToProblem(this.#context.choices, this.#connection, message)
  }

  #configure(message: ConfigureMessage): void {
    const { choices } = this.#context
    const thresholds = { ...this.#values.thresholds, ...message.thresholds }
    const values = thresholds as JsonObject
    const reason = choices.checkConfiguration({ channel: 'conversation', values })
    if (reason !== undefined) {
      const frame = message as JsonObject
      this.#respondToProblem({ problem: 'configure-rejected', frame, facts: { reasons: [reason] } })
      return
    }
    const kept = choices.conversation.keytermsWhenOmitted === 'keep' ? this.#values.keyterms : []
    this.#values = { thresholds, keyterms: message.keyterms ?? kept }
    sendMessage(this.#connection, choices.showEvent({ kind: 'configured', values: this.#values }))
  }

  #hear(piece: Uint8Array): void {
    const wasContainer = this.#audio.container !== undefined
    this.#audio.hear(piece)
    this.#entry.heardMs = this.#audio.heardMs
    const { container } = this.#audio
    const mismatch = mismatchOf(container, this.#query, 'conversation', this.#context.choices)
    if (mismatch === 'DATA-0000') {
      this.#respondToProblem({ problem: 'audio-mismatch', frame: piece })
      return
    }
    if (mismatch) this.#voice.isGarbled = mismatch === 'garbled'
    if (container && !wasContainer && this.#query.has('language')) {
      const reasons = ['language must not be set for containerized audio']
      this.#respondToProblem({ problem: 'message-rejected', frame: piece, facts: { reasons } })
    }
    while (this.#connection.isOpen && this.#sendNextEvent(this.#audio.heardMs));
    const timeoutMs = Number(this.#values.thresholds['eot_timeout_ms'])
    this.#silence.touch(Number.isFinite(timeoutMs) ? timeoutMs : 0)
  }

  /** Sends the turn's next event if enough audio has arrived. Returns whether it did. */
  #sendNextEvent(heardMs: number): boolean {
    const { turn, turnUpdate, eagerEnd } = this.#context.choices.timing
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
    const words = wordsBetween(this.#voice, startMs, endMs)
    const event = { kind: 'turn', stage, index, words, startMs, endMs, query: this.#query } as const
    sendMessage(this.#connection, this.#context.choices.showEvent(event))
  }
}
