import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createClient } from '../http/client.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { connect } from '../socket/connect.ts'
import { radio } from '../socket/test-support/radio.ts'
import { socketServer } from './test-support/loopback.ts'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

it('R-50, R-55: 10,000 malformed frames from the network cause no crash, and each connection ends normally or with a typed error', async () => {
  const frames = fc.sample(frame, { numRuns: 10_000, seed: 7 })
  const uncaught: unknown[] = []
  const note = (error: unknown): void => void uncaught.push(error)
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  let next = 0
  const server = await socketServer((socket) => {
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (.*)\r\n/i.exec(request.toString())?.[1] ?? ''
      const accept = createHash('sha1')
        .update(key + GUID)
        .digest('base64')
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
      )
      for (const each of frames.slice(next, (next += 40))) socket.write(each)
      socket.end()
    })
  })
  const client = createClient({ servers: { api: server.origin }, onDrift: () => undefined })
  while (next < frames.length) {
    const connection = await connect(
      client,
      { ...radio, security: [] },
      { maxMessageBytes: 1000, closeTimeoutMs: 20 },
    )
    const failure = await rejection(
      (async () => {
        for await (const _ of connection);
        throw undefined
      })(),
    )
    if (failure !== undefined) expect(failure).toMatchObject({ code: 'socket-closed' })
    expect((await connection.closed).closeCode).toBeGreaterThanOrEqual(1000)
  }
  await server[Symbol.asyncDispose]()
  process.off('uncaughtException', note)
  process.off('unhandledRejection', note)
  expect(uncaught).toEqual([])
}, 60_000)

/** Mostly invalid frames: reserved bits and opcodes, masks, wrong lengths, invalid UTF-8, fragments. */
const frame: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  {
    weight: 6,
    arbitrary: fc
      .record({
        first: fc.oneof(fc.constantFrom(0x81, 0x82, 0x88, 0x89, 0x8a), fc.integer({ min: 0, max: 255 })),
        payload: fc.uint8Array({ maxLength: 125 }),
        lengthOff: fc.constantFrom(0, 0, 0, 1, 128),
      })
      .map(({ first, payload, lengthOff }) =>
        Uint8Array.of(first, (payload.length + lengthOff) & 0xff, ...payload),
      ),
  },
  {
    weight: 6,
    arbitrary: fc.string({ maxLength: 60 }).map((text) => {
      const payload = new TextEncoder().encode(text)
      return Uint8Array.of(0x81, Math.min(payload.length, 125), ...payload.subarray(0, 125))
    }),
  },
)
