import { createHash } from 'node:crypto'
import { createServer, type Socket } from 'node:net'

import { ConcordError, Semaphore, SocketError } from '@concord/runtime'
import fc from 'fast-check'
import { expect, it } from 'vitest'

import { Speech } from '../src/client.ts'
import { KEY } from './support.ts'

const COUNT = 10_000
const AT_ONCE = 50
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** The response to an upgrade, and what may be wrong with it. */
const upgradeResponse = fc.record({
  status: fc.constantFrom(
    ...Array.from({ length: 8 }, () => 'HTTP/1.1 101 Switching Protocols'),
    'HTTP/1.0 101 Switching Protocols',
    'HTTP/1.1 100 Continue',
    'HTTP/1.1 103 Early Hints',
    'HTTP/1.1 200 OK',
    'HTTP/1.1 204 No Content',
    'HTTP/1.1 302 Found',
    'HTTP/1.1 401 Unauthorized',
    'HTTP/1.1 429 Too Many Requests',
    'HTTP/1.1 503 Service Unavailable',
    'HTTP/1.1 999 ?',
    'HTTP/1.1 000 ?',
    'HTTP/1.1 -1 ?',
    'HTTP/9.9 101 Switching Protocols',
    'ICY 200 OK',
    '',
  ),
  /** Replaces the correct value. */
  accept: fc.option(
    fc.oneof(fc.constantFrom('', 'x', 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='), fc.base64String({ maxLength: 40 })),
    {
      nil: undefined,
      freq: 3,
    },
  ),
  /** The index of the line that is left out. */
  without: fc.integer({ min: 0, max: 11 }),
  further: fc.array(
    fc.constantFrom(
      'sec-websocket-protocol: nobody-requests',
      'sec-websocket-extensions: permessage-deflate',
      'sec-websocket-extensions: ;;,="',
      'content-length: 5',
      'content-length: 99999',
      'content-length: -1',
      'content-length: x',
      'transfer-encoding: chunked',
      'transfer-encoding: gzip',
      'content-encoding: gzip',
      'location: http://elsewhere.test/',
      'location: ::::',
      'retry-after: -5',
      'retry-after: soon',
      'upgrade: h2c',
      'connection: close',
      ': no name',
      'no colon',
      'x-nul: a\0b',
      `x-long: ${'a'.repeat(20_000)}`,
    ),
    { maxLength: 2 },
  ),
  after: fc.oneof(
    fc.constant(new Uint8Array()),
    fc.uint8Array({ maxLength: 60 }),
    fc.constantFrom(
      Uint8Array.of(0x81, 0x02, 0x7b, 0x7d),
      Uint8Array.of(0x88, 0x00),
      Uint8Array.of(0xff, 0xff),
      new TextEncoder().encode('{"error":"no"}'),
      new TextEncoder().encode('zz\r\nnot a chunk\r\n'),
    ),
  ),
  /** The position of a damaged byte, as a fraction of the length. */
  damageAt: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined, freq: 2 }),
  damage: fc.integer({ min: 0, max: 255 }),
  /** Where the response is cut off, as a fraction of the length. */
  endsAt: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
  reset: fc.boolean(),
})
type UpgradeResponse = typeof upgradeResponse extends fc.Arbitrary<infer Response> ? Response : never

function bytesOf(
  { status, accept, without, further, after, damageAt, damage, endsAt }: UpgradeResponse,
  right: string,
): Buffer {
  const lines = [
    status,
    'upgrade: websocket',
    'connection: Upgrade',
    `sec-websocket-accept: ${accept ?? right}`,
  ]
  const head = [...lines.filter((_, at) => at !== without), ...further, '', ''].join('\r\n')
  const whole = Buffer.concat([Buffer.from(head, 'latin1'), after])
  if (damageAt !== undefined && whole.length > 0) whole[Math.floor(damageAt * (whole.length - 1))] = damage
  return whole.subarray(0, Math.ceil(endsAt * whole.length))
}

it('R-50, R-55: 10,000 malformed responses to an upgrade crash nothing; each is a typed error, and frees its share of the limit', async () => {
  const responses = fc.sample(upgradeResponse, { numRuns: COUNT, seed: 11 })
  const stray: unknown[] = []
  const note = (error: unknown): void => void stray.push(error)
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (.*)\r\n/i.exec(request.toString())?.[1] ?? ''
      const accept = createHash('sha1')
        .update(key + GUID)
        .digest('base64')
      const response = responses[requests++ % COUNT]!
      socket.write(bytesOf(response, accept))
      if (response.reset) socket.resetAndDestroy()
      else socket.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const connectionLimit = new Semaphore(AT_ONCE)
  const options = { apiUrl: `http://127.0.0.1:${port}`, apiKey: KEY, connectionLimit }
  const speech = new Speech({ ...options, onDrift: () => undefined })
  const outcomes = new Map<string, number>()
  const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)

  async function attempt(): Promise<void> {
    try {
      const live = await speech.listen({}, { closeTimeoutMs: 20, maxMessageBytes: 1000 })
      count('opened')
      for await (const _ of live);
    } catch (error) {
      if (!ConcordError.is(error)) throw error
      expect(String(error)).not.toContain(KEY)
      if (SocketError.is(error) && error.code === 'socket-denied') expect(error.status).toBeTypeOf('number')
      count(error.code)
    }
  }
  async function keepAttempting(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) await attempt()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, () => keepAttempting(COUNT / AT_ONCE)))

  expect(requests).toBe(COUNT)
  expect([...outcomes.keys()].sort()).toEqual(['connection', 'opened', 'socket-closed', 'socket-denied'])
  for (const [, times] of outcomes) expect(times).toBeGreaterThan(100)
  await speech.close()
  for (const socket of sockets) socket.destroy()
  expect(connectionLimit.free).toBe(AT_ONCE)
  await new Promise((resolve) => server.close(resolve))
  process.off('uncaughtException', note)
  process.off('unhandledRejection', note)
  expect(stray).toEqual([])
}, 120_000)
