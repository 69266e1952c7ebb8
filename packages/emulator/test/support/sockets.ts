import { WebSocket } from 'ws'

import type { EmulatorSocketFactory } from '../../src/index.ts'

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
  pause(): void
  resume(): void
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
    const { socket, settle, end } = createRecord()
    const raw = factory(
      { url, headers: Object.entries(headers).flat() },
      {
        opened: settle,
        denied(reply) {
          socket.denial = { ...reply }
          settle()
        },
        failed(error) {
          socket.error = error
          settle()
        },
        message: (data) => void socket.received.push(data),
        flushed() {},
        closed: (code, reason, error) => end({ code, reason, ...(error === undefined ? {} : { error }) }),
      },
    )
    return attach(socket, raw, { send: (frame) => raw.send(frame, false), buffered: () => raw.bufferedBytes })
  }

/** Opens sockets over the network. */
export const overNetwork: Opener = (url, headers = {}) => {
  const { socket, settle, end } = createRecord()
  const raw = new WebSocket(url.replace(/^http/, 'ws'), { headers, perMessageDeflate: false })
  raw.on('open', settle)
  raw.on('unexpected-response', (request, response) => {
    let body = ''
    response.on('data', (data: Buffer) => (body += data.toString()))
    response.on('end', () => {
      const given = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
      socket.denial = { status: response.statusCode ?? 0, headers: Object.fromEntries(given), body }
      request.destroy()
      settle()
    })
  })
  raw.on('error', (error) => {
    socket.error = error
    settle()
  })
  raw.on('message', (data: Buffer, isBinary) =>
    socket.received.push(isBinary ? new Uint8Array(data) : data.toString()),
  )
  raw.on('close', (code, reason) => end({ code, reason: reason.toString() }))
  return attach(socket, raw, { send: (frame) => raw.send(frame), buffered: () => raw.bufferedAmount })
}

/** Adds the methods of an open socket. */
function attach(
  socket: TestSocket,
  raw: Pick<WebSocket, 'close' | 'terminate' | 'pause' | 'resume'>,
  { send, buffered }: { send(frame: string | Uint8Array): void; buffered(): number },
): TestSocket {
  Object.defineProperty(socket, 'buffered', { get: buffered })
  return Object.assign(socket, {
    send: (data: string | Uint8Array | object) => send(toFrame(data)),
    close: (code = 1000, reason = '') => raw.close(code, reason),
    terminate: () => raw.terminate(),
    pause: () => raw.pause(),
    resume: () => raw.resume(),
  })
}

function createRecord() {
  const opening = Promise.withResolvers<void>()
  const ending = Promise.withResolvers<void>()
  const received: (string | Uint8Array)[] = []
  const socket = {
    settled: opening.promise,
    over: ending.promise,
    received,
    json: () => received.filter((frame) => typeof frame === 'string').map((frame) => JSON.parse(frame)),
    bytes: () => Buffer.concat(received.filter((frame) => typeof frame !== 'string')),
  } as unknown as TestSocket
  return {
    socket,
    settle: () => opening.resolve(),
    end(closed: NonNullable<TestSocket['closed']>) {
      socket.closed = closed
      ending.resolve()
    },
  }
}

function toFrame(data: string | Uint8Array | object): string | Uint8Array {
  return typeof data === 'string' || data instanceof Uint8Array ? data : JSON.stringify(data)
}

/** Waits for a condition on the network, in turns of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 200_000) throw new Error('It did not happen.')
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
