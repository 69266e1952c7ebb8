import type { SocketRules } from '../core/channel.ts'
import { Replay } from './replay.ts'

/** Which of the messages that set a channel up were sent: what opens its gate, and what a new connection needs again. */
export class Configuration {
  readonly #rules: SocketRules
  readonly #replay = new Replay()
  readonly #keeps: boolean
  /** Whether the message that the gate waits for went out on the connection that is there now. */
  gateSent = false

  /** @param keeps Whether there may be another connection. */
  constructor(rules: SocketRules, keeps: boolean) {
    this.#rules = rules
    this.#keeps = keeps
  }

  get hasGate(): boolean {
    return this.#rules.gate !== undefined
  }

  /** What to send again, in order. */
  get messages(): Replay['messages'] {
    return this.#replay.messages
  }

  /** How many messages were too old to be kept. */
  get forgotten(): number {
    return this.#replay.forgotten
  }

  noteSent(message: string): void {
    if (message === this.#rules.gate?.message) this.gateSent = true
  }

  /** It took effect, as far as anybody knows. */
  noteApplied(message: string, frame: string | Uint8Array): void {
    if (!this.#keeps || typeof frame !== 'string') return
    if (this.#rules.replay?.includes(message)) this.#replay.add(message, frame)
  }
}
