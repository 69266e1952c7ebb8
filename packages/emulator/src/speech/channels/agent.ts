import { createIdleTimer, type IdleTimer } from '../../core/clock.ts'
import type { Mismatch } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { reasonsOf } from '../../core/denials.ts'
import type { ConnectionHandler } from '../../core/socket-service.ts'
import { listen, type HeardAudio } from '../audio/heard-audio.ts'
import type { OpenSpeech } from '../limits.ts'
import { respondToProblem } from '../problems.ts'
import { wordsBetween, type Voice } from '../scripts.ts'
import type { SpeechChannelHandler, SpeechConnection, SpeechContext } from '../state.ts'
import { openEntry, sendMessage } from './messages.ts'
import { SpeechOutput } from './speech-output.ts'

/** `/v1/agent/converse`: Settings, then audio in both directions. Everything before Settings is ignored. */
export function agent(context: SpeechContext): SpeechChannelHandler {
  return (connection) => new Agent(connection, context)
}

class Agent implements ConnectionHandler {
  readonly #context: SpeechContext
  readonly #connection: SpeechConnection
  readonly #audio: HeardAudio
  readonly #output: SpeechOutput
  readonly #voice: Voice
  readonly #entry: OpenSpeech
  /** Ends the user's turn after a silence. */
  readonly #silence: IdleTimer
  #settings: JsonObject | undefined
  #turnStartMs = 0
  #turns = 0

  constructor(connection: SpeechConnection, context: SpeechContext) {
    const { choices, scripts } = context
    this.#context = context
    this.#connection = connection
    this.#audio = listen(connection.handshake.query, choices)
    this.#output = new SpeechOutput(connection, choices)
    this.#voice = { scripted: scripts.takeWords('agent'), ...choices.hearing }
    this.#entry = openEntry(connection, context, { settled: false })
    this.#silence = createIdleTimer(connection, () => this.#endTurn(this.#audio.heardMs))
  }

  message(key: string, payload: unknown): void {
    if (key === 'settings') this.#settle(payload as JsonObject)
    else this.#hear(payload as Uint8Array)
  }

  rejected(mismatches: readonly Mismatch[], frame: string | Uint8Array): void {
    if (this.#settings === undefined) return
    const facts = { reasons: reasonsOf(mismatches) }
    respondToProblem(this.#context.choices, this.#connection, { problem: 'message-rejected', frame, facts })
  }

  closed(): void {
    this.#context.connections.closed(this.#entry)
  }

  #settle(settings: JsonObject): void {
    const { choices } = this.#context
    if (!choices.isSettings(settings)) {
      respondToProblem(choices, this.#connection, { problem: 'message-unused', frame: settings })
      return
    }
    const reason = choices.checkConfiguration({ channel: 'agent', values: settings })
    if (reason !== undefined) {
      const facts = { reasons: [reason] }
      respondToProblem(choices, this.#connection, { problem: 'settings-rejected', frame: settings, facts })
      return
    }
    this.#connection.setTimer(() => {
      this.#settings = settings
      this.#entry.settled = true
      sendMessage(this.#connection, choices.showEvent({ kind: 'settings-accepted', settings }))
    }, choices.timing.settings)
  }

  #hear(piece: Uint8Array): void {
    if (this.#settings === undefined) return
    this.#audio.hear(piece)
    this.#entry.heardMs = this.#audio.heardMs
    const { agentTurn, flush } = this.#context.choices.timing
    while (this.#audio.heardMs - this.#turnStartMs >= agentTurn) this.#endTurn(this.#turnStartMs + agentTurn)
    this.#silence.touch(flush)
  }

  /** Ends the user's turn at `endMs`: sends what the user said, and the agent's reply. */
  #endTurn(endMs: number): void {
    if (this.#settings === undefined || endMs <= this.#turnStartMs) return
    const { choices, scripts } = this.#context
    const words = wordsBetween(this.#voice, this.#turnStartMs, endMs)
    const heard = words.map(({ word }) => word).join(' ')
    this.#turnStartMs = endMs
    if (heard === '') return
    const index = this.#turns++
    const reply = scripts.takeReply() ?? choices.agentReply({ settings: this.#settings, heard, index })
    this.#output.send(choices.showEvent({ kind: 'agent-text', role: 'user', text: heard, index }))
    this.#output.send(choices.showEvent({ kind: 'agent-text', role: 'agent', text: reply, index }))
    this.#output.speak(reply, () => choices.showEvent({ kind: 'agent-audio-end', index }))
  }
}
