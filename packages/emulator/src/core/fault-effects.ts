import { sleep, untilAborted, type Clock } from './clock.ts'
import { ConnectionBrokenError } from './errors.ts'
import type { Fault, SocketMoment } from './faults.ts'
import { encodeReply, type Reply } from './reply.ts'
import type { Wire } from './socket-service.ts'

/** `signal` ends a delay or stall early. */
interface FaultEnvironment {
  readonly clock: Clock
  readonly random: () => number
  readonly signal: AbortSignal
}

/** Applies the faults that precede the handler. Returns a reply if a fault responds instead of the handler. */
export async function applyBefore(
  faults: readonly Fault[],
  { clock, random, signal }: FaultEnvironment,
): Promise<Reply | undefined> {
  for (const fault of faults) {
    if (fault.kind !== 'latency') continue
    const spreadMs = (fault.upToMs ?? fault.delayMs) - fault.delayMs
    await sleep(clock, fault.delayMs + spreadMs * random(), signal)
  }
  for (const fault of faults) {
    if (fault.kind === 'reset' && fault.when === 'before') throw new ConnectionBrokenError('before')
    if (fault.kind === 'stall' && fault.when === 'before') await untilAborted(signal)
    if (fault.kind === 'status' && !fault.handled) return statusReply(fault)
  }
  return undefined
}

export async function applyAfter(
  faults: readonly Fault[],
  response: Response,
  { signal }: FaultEnvironment,
): Promise<Response> {
  let result = response
  for (const fault of faults) {
    if (fault.kind === 'reset' && fault.when === 'after') throw new ConnectionBrokenError('after')
    if (fault.kind === 'status' && fault.handled) result = replace(result, statusReply(fault))
    if (fault.kind === 'body')
      result = replace(result, {
        status: fault.status ?? result.status,
        headers: { 'content-type': fault.contentType ?? 'text/html; charset=utf-8' },
        body: fault.body,
      })
    if (fault.kind === 'truncate' && result.body !== null) {
      const bytes = new Uint8Array(await result.arrayBuffer())
      const kept = bytes.slice(0, Math.floor(bytes.byteLength * (fault.keep ?? 0.5)))
      const headers = new Headers(result.headers)
      headers.set('content-length', String(kept.byteLength))
      result = new Response(kept, { status: result.status, headers })
    }
    if ((fault.kind === 'reset' || fault.kind === 'stall') && fault.when === 'mid-body') {
      const breaks = fault.kind === 'reset'
      result = await halfThen(result, () =>
        breaks ? Promise.reject(new ConnectionBrokenError('mid-body')) : untilAborted(signal),
      )
    }
  }
  return result
}

function statusReply(fault: Extract<Fault, { kind: 'status' }>): Reply {
  const body =
    fault.body === undefined ? { detail: `An injected fault sent this ${fault.status}.` } : fault.body
  const reply: Reply =
    typeof body === 'string' ? { status: fault.status, body } : { status: fault.status, json: body }
  return fault.headers ? { ...reply, headers: fault.headers } : reply
}

function replace(response: Response, reply: Reply): Response {
  const { status, headers: own, bytes } = encodeReply(reply)
  const headers = new Headers(response.headers)
  for (const name of ['content-length', 'content-type']) headers.delete(name)
  for (const [name, value] of own) headers.set(name, value)
  return new Response(own.has('content-length') ? bytes : null, { status, headers })
}

/** Sends the first half of a body, then calls `then`. `content-length` remains the length of the whole body. */
async function halfThen(response: Response, then: () => Promise<never>): Promise<Response> {
  if (response.body === null) return then()
  const bytes = new Uint8Array(await response.arrayBuffer())
  const half = bytes.slice(0, Math.ceil(bytes.byteLength / 2))
  let sent = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent) await then()
      sent = true
      if (half.byteLength > 0) controller.enqueue(half)
      else await then()
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

export interface FaultyWire {
  /** `send` and `close` take effect in the order of the calls, even with injected latency. */
  send(frame: string | Uint8Array): void
  close(code: number, reason: string): void
  /** Counts a message from the client. Call this before handling the message. */
  received(): void
  dispose(): void
}

/** Wraps a connection's wire so that the faults happen on it. */
export function wrapWire(
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

  function trigger(fault: Fault): void {
    if (!pending.delete(fault)) return
    if (fault.kind === 'socket-drop') wire.terminate()
    if (fault.kind === 'socket-close') wire.close(fault.code, fault.reason ?? '')
    if (fault.kind === 'socket-stall') wire.pause()
  }

  function check(): void {
    for (const fault of pending) {
      const { afterReceived = Infinity, afterSent = Infinity } = fault as SocketMoment
      if (receivedCount >= afterReceived || sentCount >= afterSent) trigger(fault)
    }
  }

  /** Runs `work` after the injected latency, but never before the work of an earlier call. */
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
    if (afterMs !== undefined) later(() => trigger(fault), afterMs)
    else if (afterReceived === undefined && afterSent === undefined) queueMicrotask(() => trigger(fault))
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
    dispose() {
      for (const timer of timers) timer.cancel()
      timers.clear()
      pending.clear()
    },
  }
}
