import { nodeSocketFactory } from '@concord/runtime/node'

import { systemClock, type EmulatorSocketFactory } from '../../src/index.ts'

/** A client's end of a WebSocket, with the messages it received. */
export interface TestSocket {
  /** Resolves once the socket is open, denied or failed. */
  settled: Promise<void>
  denial?: { status: number; headers: Record<string, string>; body: string }
  error?: unknown
  /** Text frames as strings, binary frames as bytes. */
  received: (string | Uint8Array)[]
  closed?: { code: number; reason: string; error?: unknown }
  /** Resolves once the socket is closed. */
  over: Promise<void>
  send(data: string | Uint8Array | object): void
  close(code?: number, reason?: string): void
  terminate(): void
  readonly buffered: number
  /** The text frames as JSON. */
  json<T = Record<string, unknown>>(): T[]
  /** The binary frames, concatenated. */
  bytes(): Uint8Array
}

type Opener = (url: string, headers?: Record<string, string>) => TestSocket

/** Opens sockets in process. */
export const inProcess =
  (factory: EmulatorSocketFactory): Opener =>
  (url, headers = {}) => {
    const opening = Promise.withResolvers<void>()
    const ending = Promise.withResolvers<void>()
    const received: TestSocket['received'] = []
    const raw = factory(
      { url, headers: Object.entries(headers).flat() },
      {
        opened: opening.resolve,
        denied(reply) {
          socket.denial = { ...reply }
          opening.resolve()
        },
        failed(error) {
          socket.error = error
          opening.resolve()
        },
        message: (data) => void received.push(data),
        flushed() {},
        closed(code, reason, error) {
          socket.closed = { code, reason, ...(error === undefined ? {} : { error }) }
          ending.resolve()
        },
      },
    )
    const socket: TestSocket = {
      settled: opening.promise,
      over: ending.promise,
      received,
      send: (data) =>
        raw.send(typeof data === 'string' || data instanceof Uint8Array ? data : JSON.stringify(data), false),
      close: (code = 1000, reason = '') => raw.close(code, reason),
      terminate: () => raw.terminate(),
      get buffered() {
        return raw.bufferedBytes
      },
      json: () => received.filter((frame) => typeof frame === 'string').map((frame) => JSON.parse(frame)),
      bytes: () => Buffer.concat(received.filter((frame) => typeof frame !== 'string')),
    }
    return socket
  }

/** Opens sockets over the network, with the socket of Concord's clients. */
export const overNetwork: Opener = (url, headers) => {
  const own = { compression: false, maxMessageBytes: 100_000_000, clock: systemClock }
  const factory = nodeSocketFactory()
  const open: EmulatorSocketFactory = (request, handlers) =>
    factory({ ...request, ...own }, { ...handlers, pong() {} } as Parameters<
      typeof factory
    >[1]) as ReturnType<EmulatorSocketFactory>
  return inProcess(open)(url.replace(/^http/, 'ws'), headers)
}

/** Waits for a condition on the network, in turns of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 200_000) throw new Error('It did not happen.')
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
