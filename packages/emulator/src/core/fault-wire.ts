import type { Clock } from './clock.ts'
import type { Fault, SocketMoment } from './faults.ts'
import type { Wire } from './wire.ts'

/** What faults do to an open wire. */
export interface FaultyWire {
  /** Sends and closes through here, so that latency keeps the order. */
  send(frame: string | Uint8Array): void
  close(code: number, reason: string): void
  /** Is told that a message came, before it is looked at. */
  received(): void
  /** Forgets what still waits. */
  over(): void
}

/** Puts the faults that were drawn for a connection between its handler and its wire. */
export function withFaults(
  wire: Wire,
  faults: readonly Fault[],
  { clock, random }: { clock: Clock; random: () => number },
): FaultyWire {
  let receivedCount = 0
  let sentCount = 0
  let lastDueMs = 0
  const timers = new Set<{ cancel(): void }>()
  const pending = new Set(faults.filter(({ kind }) => kind !== 'socket-latency'))
  const latencies = faults.filter((fault) => fault.kind === 'socket-latency')

  function later(callback: () => void, delayMs: number): void {
    const timer = clock.setTimer(() => {
      timers.delete(timer)
      callback()
    }, delayMs)
    timers.add(timer)
  }

  function happen(fault: Fault): void {
    if (!pending.delete(fault)) return
    if (fault.kind === 'socket-drop') wire.terminate()
    if (fault.kind === 'socket-close') wire.close(fault.code, fault.reason ?? '')
    if (fault.kind === 'socket-stall') wire.pause()
  }

  function check(): void {
    for (const fault of pending) {
      const { afterReceived = Infinity, afterSent = Infinity } = fault as SocketMoment
      if (receivedCount >= afterReceived || sentCount >= afterSent) happen(fault)
    }
  }

  /** Runs in order, after the latency that was asked for. */
  function delayed(work: () => void): void {
    if (latencies.length === 0) {
      work()
      return
    }
    let delayMs = 0
    for (const { delayMs: least, upToMs = least } of latencies) delayMs += least + (upToMs - least) * random()
    lastDueMs = Math.max(lastDueMs, clock.monotonic() + delayMs)
    later(work, lastDueMs - clock.monotonic())
  }

  for (const fault of pending) {
    const { afterReceived, afterSent, afterMs } = fault as SocketMoment
    if (afterMs !== undefined) later(() => happen(fault), afterMs)
    else if (afterReceived === undefined && afterSent === undefined) queueMicrotask(() => happen(fault))
  }

  return {
    send: (frame) =>
      delayed(() => {
        wire.send(frame)
        sentCount++
        check()
      }),
    close: (code, reason) => delayed(() => wire.close(code, reason)),
    received() {
      receivedCount++
      check()
    },
    over() {
      for (const timer of timers) timer.cancel()
      timers.clear()
      pending.clear()
    },
  }
}
