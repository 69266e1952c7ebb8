import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'

import { seededRandom } from '../../src/core/random.ts'
import { until } from '../support/sockets.ts'
import { startSpeech } from '../support/speech.ts'
import { withoutStrayErrors } from '../support/stray-errors.ts'

const CHANNELS = ['/v1/listen', '/v2/listen', '/v1/speak', '/v1/agent/converse']

/** Nearly valid messages, and nonsense. */
const anyFrame = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)),
  fc.string({ maxLength: 60 }),
  fc.json({ maxDepth: 4 }),
  fc
    .record(
      {
        type: fc.oneof(
          fc.constantFrom('KeepAlive', 'Configure', 'Speak', 'Settings', 'ConfigureSuccess', '__proto__'),
          fc.jsonValue(),
        ),
        thresholds: fc.oneof(
          fc.record({ eot_threshold: fc.jsonValue(), eot_timeout_ms: fc.jsonValue() }),
          fc.record({ eot_timeout_ms: fc.constantFrom('1e999', '-0', '1e308', '0.0000001') }),
          fc.jsonValue(),
        ),
        keyterms: fc.jsonValue(),
        text: fc.oneof(fc.string({ maxLength: 20 }), fc.jsonValue()),
        ['__proto__']: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc
    .constantFrom('RIFF', 'OggS', 'ID3', 'RIFF\0\0\0\0WAVEfmt ')
    .map((text) => new TextEncoder().encode(text)),
)

it('5,000 frames, ten per connection, end at most their own connection', async () => {
  const errors: string[] = []
  await using speech = await startSpeech(
    { connectionAllowance: 1 },
    { log: (level, message) => level === 'error' && errors.push(message) },
  )
  let frames = 0
  await withoutStrayErrors(() =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CHANNELS),
        fc.array(anyFrame, { minLength: 10, maxLength: 10 }),
        async (path, list) => {
          const socket = await speech.open(path)
          expect(socket.denial).toBeUndefined()
          for (const frame of list) socket.send(frame)
          frames += list.length
          await speech.advance(11_000)
          socket.close()
          await socket.over
          expect([1000, 4000, 4008]).toContain(socket.closed?.code)
          await speech.settle()
        },
      ),
      { numRuns: 500, seed: 5 },
    ),
  )
  expect(frames).toBe(5_000)
  expect(errors).toEqual([])
  expect(speech.service.state.connections).toEqual([])
  const received = speech.control.connections().reduce((sum, connection) => sum + connection.received, 0)
  expect(received).toBeGreaterThan(4_000)
  const socket = await speech.open('/v1/speak')
  socket.send({ text: 'still here' })
  await speech.settle()
  expect(socket.json()).toMatchObject([{ type: 'SpeechEnd' }])
})

it('3,000 handshakes with any query and credential get a response', async () => {
  await using speech = await startSpeech({ connectionAllowance: 1 })
  const { apiKey } = speech.service
  const anyHandshake = fc.record({
    path: fc.oneof(fc.constantFrom(...CHANNELS), fc.webPath()),
    query: fc.oneof(
      fc.webQueryParameters(),
      fc.constantFrom('model=flux', 'model=nova-3&model=nova', 'diarize', '__proto__=1', 'encoding[]=1', '%'),
    ),
    authorization: fc.oneof(
      fc.constantFrom('', `Token ${apiKey}`, `Token  ${apiKey} x`, 'Token', 'Bearer', `Bearer ${apiKey}`),
      fc.stringMatching(/^[!-~]{1,20}\.[!-~]{0,20}\.[!-~]{0,20}$/).map((text) => `Bearer ${text}`),
      fc.stringMatching(/^[ -~]{0,30}$/),
    ),
  })
  let count = 0
  await withoutStrayErrors(() =>
    fc.assert(
      fc.asyncProperty(anyHandshake, async ({ path, query, authorization }) => {
        const socket = await speech.open(`${path.startsWith('/') ? path : '/'}?${query}`, { authorization })
        count++
        if (socket.denial) expect([400, 401, 404]).toContain(socket.denial.status)
        else expect(socket.error).toBeUndefined()
        socket.terminate()
        await speech.settle()
      }),
      { numRuns: 3_000, seed: 6 },
    ),
  )
  expect(count).toBe(3_000)
  expect(speech.service.state.connections).toEqual([])
})

it("2,000 damaged handshakes and frames over a real connection don't harm the server", async () => {
  await using speech = await startSpeech({ connectionAllowance: 5_000 })
  await using served = await speech.emulator.serve({ services: ['speech'] })
  const { apiUrl, apiKey } = served.speech
  const port = Number(new URL(apiUrl).port)
  const random = seededRandom(7)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

  /** A handshake of which one line may be missing, doubled or damaged. */
  function handshake(): string {
    const lines = [
      `GET ${pick(CHANNELS)} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Authorization: Token ${apiKey}`,
    ]
    const at = Math.floor(random() * lines.length)
    const damaged = pick([
      '',
      lines[at] ?? '',
      `${lines[at]?.slice(0, -3)}`,
      'Upgrade: h2c',
      'Sec-WebSocket-Key: x',
    ])
    if (random() < 0.6) lines.splice(at, pick([0, 1]), ...(damaged === '' ? [] : [damaged]))
    return `${lines.join('\r\n')}\r\n\r\n`
  }

  function exchange(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.on('close', () => resolve())
      socket.on('data', () => {
        if (!socket.writable) return
        // Regardless of the response: bytes that are hardly ever a frame, and the end.
        socket.end(randomBytes(1 + Math.floor(random() * 60)))
      })
      socket.write(handshake())
      if (random() < 0.5) socket.write(randomBytes(20))
      setTimeout(() => socket.destroy(), 120)
    })
  }

  await withoutStrayErrors(async () => {
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 100 }, exchange))
  })
  await until(() => speech.service.state.connections.length === 0)
  const headers = { authorization: `Token ${apiKey}` }
  expect((await fetch(`${apiUrl}/v1/models`, { headers })).status).toBe(200)
  // How many finish in time depends on the machine.
  expect(speech.control.connections().length).toBeGreaterThan(20)
})
