import { judgeSent, readFrame } from './channel-oracle.ts'
import type { Channel, ChannelSpecification } from './channels.ts'
import { type Clock, createIdleTimer, type IdleTimer } from './clock.ts'
import { usedChoiceNames, trackUsedChoices } from './choices.ts'
import { MessageRejectedError, toEmulatorError, type Mismatch } from './errors.ts'
import { wrapWire, type FaultyWire } from './fault-effects.ts'
import type { Fault } from './faults.ts'
import type { ConnectionRecord, Records } from './records.ts'
import type {
  CloseCause,
  Connection,
  ConnectionHandler,
  Handshake,
  OpenConnection,
  SocketService,
  Wire,
  WireEvents,
} from './socket-service.ts'

interface ConnectionTools<Caller> {
  readonly id: number
  readonly clock: Clock
  readonly random: () => number
  readonly faults: readonly Fault[]
  readonly records: Records
  readonly service: SocketService<Caller>
  /** Records a message that the contract rejects. */
  rejected(channel: Channel, direction: 'received' | 'sent', mismatches: readonly Mismatch[]): void
  failed(error: Error): void
  closed(connection: OpenConnection): void
}

const encoder = new TextEncoder()

/** An open connection. It enforces its channel's rules, applies injected faults, and updates its record. */
export class ServedConnection<Caller> implements Connection<Caller>, OpenConnection {
  readonly id: number
  readonly openedAt: number
  readonly handshake: Handshake<Caller>
  readonly events: WireEvents = {
    frame: (data) => this.#guard(() => this.#take(data)),
    closed: (code, reason) => this.#onClosed(code, reason),
  }
  readonly #tools: ConnectionTools<Caller>
  readonly #specification: ChannelSpecification
  readonly #wire: Wire
  readonly #faulty: FaultyWire
  readonly #record: ConnectionRecord
  readonly #timers = new Set<{ cancel(): void }>()
  readonly #idle: IdleTimer
  #handler: ConnectionHandler | undefined
  #isOver = false
  #isClosedByUs = false

  constructor(handshake: Handshake<Caller>, wire: Wire, tools: ConnectionTools<Caller>) {
    const { id, clock, records, faults } = tools
    this.id = id
    this.openedAt = clock.now()
    this.handshake = handshake
    this.#tools = tools
    this.#specification = tools.service.specification
    this.#wire = wire
    const close = (code: number, reason: string) => {
      this.#isClosedByUs = true
      wire.close(code, reason)
    }
    this.#faulty = wrapWire({ ...wire, close, terminate: () => this.terminate() }, faults, tools)
    this.#record = records.connection({
      id,
      channel: handshake.channel.id,
      openedAt: this.openedAt,
      received: 0,
      receivedBytes: 0,
      sent: 0,
      sentBytes: 0,
      rejected: 0,
      faults: faults.map(({ kind }) => kind),
    })
    this.#idle = createIdleTimer(this, () => this.#closeFor('idle'))
    // An in-process client must see the open connection before the handler runs.
    queueMicrotask(() => {
      if (!this.#isOver) this.#guard(() => (this.#handler = this.#createHandler()))
    })
    this.#restartIdle()
  }

  get isOpen(): boolean {
    return !this.#isOver && !this.#isClosedByUs
  }

  send(key: string, payload: unknown): void {
    if (!this.isOpen) return
    const { channel } = this.handshake
    const { message, mismatches } = judgeSent(this.#specification, channel, key, payload)
    if (!message || mismatches.length > 0) {
      this.#tools.rejected(channel, 'sent', mismatches)
      throw new MessageRejectedError(channel.id, key, mismatches, usedChoiceNames())
    }
    this.sendRaw(message.frame === 'binary' ? (payload as Uint8Array) : JSON.stringify(payload))
  }

  sendRaw(frame: string | Uint8Array): void {
    if (!this.isOpen) return
    this.#record.sent++
    this.#record.sentBytes += sizeOf(frame)
    this.#faulty.send(frame)
  }

  close(code: number, reason: string): void {
    if (!this.isOpen) return
    this.#isClosedByUs = true
    this.#faulty.close(code, reason)
  }

  terminate(): void {
    this.#isClosedByUs = true
    this.#wire.terminate()
  }

  monotonic(): number {
    return this.#tools.clock.monotonic()
  }

  setTimer(callback: () => void, delayMs: number): { cancel(): void } {
    const timer = this.#tools.clock.setTimer(() => {
      this.#timers.delete(timer)
      if (this.isOpen) this.#guard(callback)
    }, delayMs)
    this.#timers.add(timer)
    return timer
  }

  #createHandler(): ConnectionHandler {
    const { channel } = this.handshake
    const create = this.#tools.service.handlers[channel.id]
    if (!create) throw new Error(`The channel \`${channel.id}\` has no handler.`)
    return create(this)
  }

  /** If `work` throws an error, for instance in a choice, only this connection ends. */
  #guard(work: () => void): void {
    try {
      trackUsedChoices(work)
    } catch (error) {
      const { id } = this.handshake.channel
      this.#fail(toEmulatorError(error, id, `The emulator failed on a connection to the channel \`${id}\``))
    }
  }

  #fail(error: Error): void {
    this.#tools.failed(error)
    if (!this.isOpen) return
    this.#isClosedByUs = true
    this.#wire.fail(error)
  }

  #closeFor(cause: CloseCause): void {
    const end = this.#tools.service.closeFor(cause, this.handshake.channel, this.id)
    if (end) this.close(end.code, end.reason)
  }

  /** Restarts the idle timer, which closes the connection if no audio or keep-alive arrives in time. */
  #restartIdle(): void {
    const { idleCloseMs } = this.handshake.channel.rules
    if (idleCloseMs !== undefined) this.#idle.touch(idleCloseMs)
  }

  #take(frame: string | Uint8Array): void {
    const { channel } = this.handshake
    const { service } = this.#tools
    this.#record.received++
    this.#record.receivedBytes += sizeOf(frame)
    this.#faulty.received()
    if (!this.isOpen) return
    if (typeof frame !== 'string' && frame.byteLength === 0 && channel.rules.emptyBinaryCloses) {
      this.#closeFor('empty-binary')
      return
    }
    const reading = readFrame(this.#specification, channel, frame)
    if (!reading.message) {
      this.#record.rejected++
      this.#tools.rejected(channel, 'received', reading.mismatches)
      this.#handler?.rejected(reading.mismatches, frame)
      return
    }
    const { key, frame: kind } = reading.message
    const isAudio = kind === 'binary' && (service.countsAsAudio?.(frame as Uint8Array) ?? true)
    if (key === channel.rules.keepAlive?.message || isAudio) this.#restartIdle()
    this.#handler?.message(key, reading.payload)
  }

  #onClosed(code: number, reason: string): void {
    if (this.#isOver) return
    this.#isOver = true
    const by = this.#isClosedByUs ? 'emulator' : 'client'
    this.#record.closed = { at: this.#tools.clock.now(), code, reason, by }
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
    this.#faulty.dispose()
    try {
      this.#handler?.closed?.()
    } catch (error) {
      this.#tools.failed(error instanceof Error ? error : new Error(String(error)))
    } finally {
      this.#tools.closed(this)
    }
  }
}

function sizeOf(frame: string | Uint8Array): number {
  return typeof frame === 'string' ? encoder.encode(frame).byteLength : frame.byteLength
}
