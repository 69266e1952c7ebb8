import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { VirtualClock } from '../testing/virtual-clock.ts'
import { connect } from './connect.ts'
import type { Gap } from './connection.ts'
import type { RawSocket, SocketFactory, SocketHandlers } from './socket.ts'
import { bytes, radio, studio } from './test-support/radio.ts'

const CHUNK_BYTES = 10

const story = fc.record({
  steps: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('send' as const) },
      { weight: 2, arbitrary: fc.constant('speak' as const) },
      { weight: 1, arbitrary: fc.constant('cut' as const) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 1500 }) },
    ),
    { minLength: 10, maxLength: 40 },
  ),
  upMs: fc.integer({ min: 1, max: 900 }),
  downMs: fc.integer({ min: 1, max: 900 }),
  resendBytes: fc.constantFrom(0, 3 * CHUNK_BYTES, 1_000_000),
  canPing: fc.boolean(),
})

it('R-54, R-59: what is lost in flight is reported or resent, even if a message crossed it', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { sent, arrived, gaps } = await play(told)
      const missing = sent.filter((id) => !arrived.includes(id))
      const lostBytes = gaps.reduce((sum, { possiblyLostBytes }) => sum + possiblyLostBytes, 0)
      expect(missing.length * CHUNK_BYTES).toBeLessThanOrEqual(lostBytes)
      if (told.resendBytes === 1_000_000) expect(missing).toEqual([])
    }),
    { numRuns: 200, seed: 7 },
  )
}, 60_000)

it('R-54: while messages and pongs arrive, little counts as possibly lost', async () => {
  const steps = Array.from({ length: 100 }, () => ['send', 'speak', 100] as const).flat()
  const { gaps } = await play({
    steps: [...steps, 'cut'],
    upMs: 50,
    downMs: 50,
    resendBytes: 0,
    canPing: true,
  })
  // A ping every second, and a round trip.
  expect(gaps).toMatchObject([{ sentBytes: 1000 }])
  expect(gaps[0]?.possiblyLostBytes).toBeLessThanOrEqual(13 * CHUNK_BYTES)
})

type Story = typeof story extends fc.Arbitrary<infer Told> ? Told : never

/** Plays a story to its end, after which everything in flight has arrived. */
async function play({ steps, upMs, downMs, resendBytes, canPing }: Story) {
  const arrived: number[] = []
  const lines: Line[] = []
  const socketFactory: SocketFactory = (_request, handlers) => {
    const line = new Line(clock, handlers, { upMs, downMs, onBytes: (id) => arrived.push(id) })
    lines.push(line)
    return canPing ? line : Object.assign(line, { ping: undefined })
  }
  const { client, clock } = studio(undefined, { socketFactory })
  const connection = await connect(client, radio, {
    liveness: false,
    reconnect: { resendBytes, baseMs: 100 },
  })
  const gaps: Gap[] = []
  const reading = (async () => {
    for await (const { type, data } of connection) if (type === 'reconnected') gaps.push(data)
  })()
  const sent: number[] = []
  for (const step of steps) {
    const line = lines.at(-1)
    if (step === 'send') {
      sent.push(sent.length)
      await Promise.race([connection.sendBinary(bytes(CHUNK_BYTES, sent.length - 1)), clock.settle()])
    } else if (step === 'speak') line?.speak()
    else if (step === 'cut') line?.cut()
    else await clock.advance(step)
  }
  await clock.advance(5_000)
  await connection.close()
  await reading
  clock[Symbol.dispose]()
  return { sent, arrived, gaps }
}

/** The other end of a line, and the time that each direction takes. */
interface Route {
  readonly upMs: number
  readonly downMs: number
  readonly onBytes: (id: number) => void
}

/** A socket over a line that takes its time in each direction; when it is cut, everything on it is lost. */
class Line implements RawSocket {
  readonly #clock: VirtualClock
  readonly #handlers: SocketHandlers
  readonly #route: Route
  open = false
  bufferedBytes = 0

  constructor(clock: VirtualClock, handlers: SocketHandlers, route: Route) {
    this.#clock = clock
    this.#handlers = handlers
    this.#route = route
    queueMicrotask(() => {
      this.open = true
      handlers.opened()
    })
  }

  send(data: string | Uint8Array): void {
    this.#later(this.#route.upMs, () => {
      if (typeof data !== 'string') this.#route.onBytes(data[0] ?? -1)
    })
  }

  ping?(mark: number): void {
    this.#later(this.#route.upMs, () => this.#later(this.#route.downMs, () => this.#handlers.pong(mark)))
  }

  speak(): void {
    this.#later(this.#route.downMs, () => this.#handlers.message('{"type":"Line","text":"on"}'))
  }

  cut(): void {
    if (!this.open) return
    this.open = false
    this.#handlers.closed(1006, '')
  }

  close(code: number, reason: string): void {
    this.open = false
    this.#handlers.closed(code, reason)
  }

  terminate(): void {
    this.cut()
  }

  #later(delayMs: number, act: () => void): void {
    this.#clock.setTimer(() => {
      if (this.open) act()
    }, delayMs)
  }
}
