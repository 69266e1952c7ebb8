import type { Reading } from './channel-oracle.ts'
import type { ChannelMessage } from './channels.ts'
import type { Clock } from './clock.ts'
import { notedChoices, notingChoices } from './choices.ts'
import { ChoiceError, EmulatorError, MessageRefusedError, type Mismatch } from './errors.ts'
import { withFaults } from './fault-wire.ts'
import type { Fault } from './faults.ts'
import type { Journal } from './journal.ts'
import { createRestTimer } from './rest-timer.ts'
import type { CloseCause, Connection, ConnectionHandler, Handshake } from './socket-service.ts'
import type { Wire, WireEvents } from './wire.ts'

/** What an open connection works with. */
export interface ConnectionTools<Caller> {
  id: number
  clock: Clock
  random: () => number
  faults: readonly Fault[]
  journal: Journal
  /** Reads a frame as the contract does. */
  read(frame: string | Uint8Array): Reading
  /** Judges a message that is about to be sent. */
  judge(key: string, payload: unknown): { message?: ChannelMessage; mismatches: Mismatch[] }
  note(direction: 'received' | 'sent', mismatches: readonly Mismatch[]): void
  failed(error: Error): void
  closeFor(cause: CloseCause): { code: number; reason: string } | undefined
  /** Whether a binary frame counts against the time without audio. */
  countsAsAudio(frame: Uint8Array): boolean
  handler(connection: Connection<Caller>): ConnectionHandler
  over(connection: OpenConnection): void
}

/** An open connection, as the control interface sees it. */
export interface OpenConnection {
  readonly id: number
  /** Sends any frame, whatever the contract says. */
  sendRaw(frame: string | Uint8Array): void
  close(code: number, reason: string): void
  terminate(): void
}

const encoder = new TextEncoder()

/** Opens a connection over a wire: keeps the rules of its channel, its faults and its record. */
export function openConnection<Caller>(
  handshake: Handshake<Caller>,
  wire: Wire,
  tools: ConnectionTools<Caller>,
): { connection: OpenConnection; events: WireEvents } {
  const { clock, id } = tools
  const { rules } = handshake.channel
  let isOpen = true
  let isClosedByUs = false
  const ours: Wire = {
    ...wire,
    close(code, reason) {
      isClosedByUs = true
      wire.close(code, reason)
    },
    terminate() {
      isClosedByUs = true
      wire.terminate()
    },
  }
  const faulty = withFaults(ours, tools.faults, tools)
  const timers = new Set<{ cancel(): void }>()
  const record = tools.journal.connection({
    id,
    channel: handshake.channel.id,
    openedAt: clock.now(),
    received: 0,
    receivedBytes: 0,
    sent: 0,
    sentBytes: 0,
    refused: 0,
    faults: tools.faults.map(({ kind }) => kind),
  })

  function transmit(frame: string | Uint8Array): void {
    if (!isOpen || isClosedByUs) return
    record.sent++
    record.sentBytes += sizeOf(frame)
    faulty.send(frame)
  }

  function close(code: number, reason: string): void {
    if (!isOpen || isClosedByUs) return
    isClosedByUs = true
    faulty.close(code, reason)
  }

  function fail(error: Error): void {
    tools.failed(error)
    if (!isOpen || isClosedByUs) return
    isClosedByUs = true
    wire.fail(error)
  }

  /** A handler that fails, for instance in a choice, ends its connection and nothing else. */
  function guarded(work: () => void): void {
    try {
      notingChoices(work)
    } catch (error) {
      if (error instanceof ChoiceError) return fail(error.at(handshake.channel.id))
      fail(
        error instanceof EmulatorError
          ? error
          : new EmulatorError(
              'handler-failed',
              `The emulator failed on a connection to ${handshake.channel.id}: ${String(error)}`,
              { cause: error },
            ),
      )
    }
  }

  const own: Connection<Caller> = {
    ...handshake,
    id,
    openedAt: clock.now(),
    get isOpen() {
      return isOpen && !isClosedByUs
    },
    send(key, payload) {
      if (!isOpen || isClosedByUs) return
      const { message, mismatches } = tools.judge(key, payload)
      if (!message || mismatches.length > 0) {
        tools.note('sent', mismatches)
        throw new MessageRefusedError(handshake.channel.id, key, mismatches, notedChoices())
      }
      transmit(message.kind === 'binary' ? (payload as Uint8Array) : JSON.stringify(payload))
    },
    close,
    monotonic: () => clock.monotonic(),
    setTimer(callback, delayMs) {
      const timer = clock.setTimer(() => {
        timers.delete(timer)
        if (isOpen && !isClosedByUs) guarded(callback)
      }, delayMs)
      timers.add(timer)
      return timer
    },
  }

  /** Closes the connection unless the service keeps it open. */
  function closeFor(cause: CloseCause): void {
    const end = tools.closeFor(cause)
    if (end) close(end.code, end.reason)
  }

  const idle = createRestTimer(own, () => closeFor('idle'))

  /** Counts the time without audio from now on. */
  function restIdle(): void {
    if (rules.idleCloseMs !== undefined) idle.touch(rules.idleCloseMs)
  }

  function take(frame: string | Uint8Array): void {
    record.received++
    record.receivedBytes += sizeOf(frame)
    faulty.received()
    if (!isOpen || isClosedByUs) return
    if (typeof frame !== 'string' && frame.byteLength === 0 && rules.emptyBinaryCloses) {
      closeFor('empty-binary')
      return
    }
    const reading = tools.read(frame)
    if (!reading.message) {
      record.refused++
      tools.note('received', reading.mismatches)
      handler?.refused(reading.mismatches, frame)
      return
    }
    const { key, kind } = reading.message
    if (key === rules.keepAlive || (kind === 'binary' && tools.countsAsAudio(frame as Uint8Array))) restIdle()
    handler?.message(key, reading.payload)
  }

  const connection: OpenConnection = {
    id,
    sendRaw: transmit,
    close,
    terminate: () => ours.terminate(),
  }
  let handler: ConnectionHandler | undefined
  // What a handler sends at once goes out after the client was told that it is connected.
  queueMicrotask(() => {
    if (isOpen) guarded(() => (handler = tools.handler(own)))
  })
  restIdle()

  return {
    connection,
    events: {
      frame: (data) => guarded(() => take(data)),
      closed(code, reason) {
        if (!isOpen) return
        isOpen = false
        record.closed = { at: clock.now(), code, reason, by: isClosedByUs ? 'emulator' : 'client' }
        for (const timer of timers) timer.cancel()
        timers.clear()
        faulty.over()
        try {
          handler?.closed?.()
        } catch (error) {
          tools.failed(error instanceof Error ? error : new Error(String(error)))
        } finally {
          tools.over(connection)
        }
      },
    },
  }
}

function sizeOf(frame: string | Uint8Array): number {
  return typeof frame === 'string' ? encoder.encode(frame).byteLength : frame.byteLength
}
