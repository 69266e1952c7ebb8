import type { ChannelDescriptor } from '../core/channel.ts'
import type { Clock, Timer } from '../core/clock.ts'
import { unacknowledgedError } from './connection-errors.ts'
import type { Received } from './connection.ts'
import type { Outbox } from './outbox.ts'
import type { ConnectionSettings } from './options.ts'

/**
 * The contract's gate: everything but one message is held back until the server has acknowledged that message; this
 * starts over on each connection. The time limit for the acknowledgement begins when the message is sent.
 */
export class Gate {
  readonly #clock: Clock
  readonly #channel: ChannelDescriptor
  readonly #settings: ConnectionSettings
  readonly #outbox: Outbox
  readonly #fail: (error: unknown) => void
  #timer: Timer | undefined = undefined
  /** How many messages have arrived since the gating message was sent. */
  #seen = 0

  constructor(
    about: { readonly clock: Clock; readonly channel: ChannelDescriptor },
    settings: ConnectionSettings,
    outbox: Outbox,
    fail: (error: unknown) => void,
  ) {
    this.#clock = about.clock
    this.#channel = about.channel
    this.#settings = settings
    this.#outbox = outbox
    this.#fail = fail
  }

  get exists(): boolean {
    return this.#channel.rules.gate !== undefined
  }

  /** Returns whether a message may pass while the gate is closed. */
  isGating(message: string): boolean {
    return message === this.#channel.rules.gate?.message
  }

  /** Called when a message was sent: while the gate is closed, that can only be the gating one. */
  noteSent(): void {
    if (this.#outbox.gateOpen || this.#timer !== undefined) return
    const { acknowledgeTimeoutMs } = this.#settings
    const { id, rules } = this.#channel
    this.#seen = 0
    this.#timer = this.#clock.setTimer(
      () => this.#fail(unacknowledgedError(id, rules.gate?.message ?? '', acknowledgeTimeoutMs, this.#seen)),
      acknowledgeTimeoutMs,
    )
  }

  /** Opens the gate if a received message is the acknowledgement. Throws what the caller's function throws. */
  look(received: () => Received<ChannelDescriptor>): void {
    if (this.#timer === undefined) return
    this.#seen += 1
    if (this.#settings.acknowledged?.(received()) !== true) return
    this.stop()
    this.#outbox.openGate()
  }

  /** Called when the connection has ended, so that no acknowledgement can arrive. */
  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }
}
