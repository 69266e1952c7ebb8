import { expect, it } from 'vitest'
import { wait } from '../core/async.ts'
import type { Timer } from '../core/clock.ts'
import { createClient } from '../http/client.ts'
import { KEY } from '../http/test-support/fixtures.ts'
import { type MemoryHandshake, type MemoryPeer, memorySockets } from '../testing/memory-socket.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { connect } from './connect.ts'
import type { Gap } from './connection.ts'
import { bytes, radio } from './test-support/radio.ts'

const DAY_MS = 24 * 3_600_000
const DROPS = 50
const IDLE_MS = 10_000
const MOST_UNREAD = 50

/**
 * A live session of 24 hours, on the virtual clock: a speaker who falls silent for minutes, a server that ends silent
 * connections after 10 s, drops 50, denies some handshakes, stalls and bursts, and a reader that falls asleep.
 */
it('R-51, R-52, R-53, R-54: a day with silences, 50 drops and slow readers misses no keep-alive, bounds every buffer and reports every gap', async () => {
  using clock = virtualClock()
  const random = seeded(20_260_101)
  const server = new Server(clock, random)
  const sockets = memorySockets((peer) => server.onConnect(peer))
  const client = createClient({
    servers: { api: 'https://service.test' },
    credentials: { key: { in: 'header', name: 'authorization', value: KEY } },
    socketFactory: sockets.socketFactory,
    clock,
    random,
  })
  const connection = await connect(client, radio, {
    reconnect: true,
    sending: { highBytes: 20_000 },
    receiving: { maxMessages: MOST_UNREAD },
  })
  const gaps: Gap[] = []
  const lines: number[] = []
  let peakBuffered = 0
  let peakUnread = 0

  const speaking = (async () => {
    while (clock.elapsedMs < DAY_MS) {
      const untilMs = clock.elapsedMs + random() * 120_000
      while (clock.elapsedMs < untilMs) {
        void connection.sendBinary(bytes(640)).catch(() => undefined)
        peakBuffered = Math.max(peakBuffered, connection.bufferedBytes)
        await wait(clock, 1000)
      }
      await wait(clock, random() * 300_000)
    }
  })()
  const reading = (async () => {
    for await (const event of connection) {
      if (event.type === 'reconnected') gaps.push(event.data)
      else lines.push(Number((event.data as { text: string }).text))
      if (random() < 0.002) await wait(clock, random() * 600_000)
    }
  })()
  const watching = (async () => {
    for (let count = 0; clock.elapsedMs < DAY_MS; count++) {
      await wait(clock, 10_000)
      const delivered = server.sent - server.lost - server.peer.waiting
      peakUnread = Math.max(peakUnread, delivered - lines.length)
      if (server.drops < DROPS && clock.elapsedMs > ((server.drops + 1) * DAY_MS) / (DROPS + 1)) server.drop()
    }
  })()
  await Promise.all([speaking, watching])
  const end = await connection.close()
  await reading

  expect(end).toMatchObject({ closeCode: 1000 })
  expect(server.drops).toBe(DROPS)
  expect(server.denials).toBeGreaterThan(5)
  // No keep-alive was missed: the server ended nothing, and was never left in silence for longer than the rule says.
  expect(server.idleCloses).toBe(0)
  expect(server.longestSilenceMs).toBeLessThanOrEqual(5000)
  expect(server.shortestKeepAliveMs).toBeGreaterThanOrEqual(3000)
  expect(server.keepAlives).toBeGreaterThan(5000)
  // Every gap is reported, in order, and what is missing is missing at a gap.
  expect(gaps.map(({ connection: number }) => number)).toEqual(
    Array.from({ length: DROPS }, (_, index) => index + 1),
  )
  expect(countHoles(lines)).toBeLessThanOrEqual(DROPS)
  expect(lines.length + server.lost + end.dropped).toBe(server.sent)
  // No buffer grew beyond what it may hold.
  expect(server.pauses).toBeGreaterThan(0)
  expect(peakUnread).toBeGreaterThan(MOST_UNREAD / 2)
  // Twice as many while the server, which was silent, is asked for a sign of life.
  expect(peakUnread).toBeLessThanOrEqual(MOST_UNREAD * 2)
  expect(peakBuffered).toBeGreaterThan(0)
  expect(peakBuffered).toBeLessThanOrEqual(80_000)
  expect(clock.timers).toBe(0)
}, 60_000)

/** The service's side, with the rules of the channel. */
class Server {
  readonly #clock: ReturnType<typeof virtualClock>
  readonly #random: () => number
  peer!: MemoryPeer
  sent = 0
  lost = 0
  drops = 0
  denials = 0
  idleCloses = 0
  keepAlives = 0
  pauses = 0
  longestSilenceMs = 0
  shortestKeepAliveMs = Infinity
  #idle: Timer | undefined = undefined
  #next: Timer | undefined = undefined
  #lastHeardMs = 0
  #lastKeepAliveMs = -Infinity
  #stalledMs = 0
  #connected = false

  constructor(clock: ReturnType<typeof virtualClock>, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  onConnect(peer: MemoryPeer): MemoryHandshake {
    if (this.drops > 0 && this.#random() < 0.3) {
      this.denials += 1
      return { status: 503 }
    }
    this.peer = peer
    this.#connected = true
    this.#lastHeardMs = this.#clock.elapsedMs
    this.#lastKeepAliveMs = -Infinity
    peer.onMessage = (data) => this.#onMessage(data)
    peer.onClose = () => this.#disconnect()
    this.#listen()
    this.#speakLater()
    return undefined
  }

  #onMessage(data: string | Uint8Array): void {
    const nowMs = this.#clock.elapsedMs
    this.longestSilenceMs = Math.max(this.longestSilenceMs, nowMs - this.#lastHeardMs - this.#stalledMs)
    this.#stalledMs = 0
    this.#lastHeardMs = nowMs
    if (typeof data === 'string') {
      this.keepAlives += 1
      this.shortestKeepAliveMs = Math.min(this.shortestKeepAliveMs, nowMs - this.#lastKeepAliveMs)
      this.#lastKeepAliveMs = nowMs
    }
    this.#listen()
  }

  #listen(): void {
    this.#idle?.cancel()
    this.#idle = this.#clock.setTimer(() => {
      this.idleCloses += 1
      this.#disconnect()
      this.peer.close(1011, 'silence')
    }, IDLE_MS)
  }

  #speakLater(): void {
    this.#next = this.#clock.setTimer(() => {
      const burst = this.#random() < 0.05 ? 100 : 1
      for (let count = 0; count < burst; count++) this.peer.send(`{"type":"Line","text":"${this.sent++}"}`)
      if (this.peer.paused) this.pauses += 1
      if (this.#random() < 0.02) this.#stall()
      this.#speakLater()
    }, this.#random() * 20_000)
  }

  #stall(): void {
    const { peer } = this
    const stallMs = this.#random() * 1000
    // The server hears nothing while it does not listen: that is not the client's silence.
    this.#stalledMs += stallMs
    peer.stall()
    this.#clock.setTimer(() => peer.unstall(), stallMs)
  }

  drop(): void {
    if (!this.#connected) return
    this.drops += 1
    this.lost += this.peer.waiting
    this.#disconnect()
    this.peer.drop()
  }

  #disconnect(): void {
    this.#connected = false
    this.#idle?.cancel()
    this.#next?.cancel()
  }
}

/** How often a number is followed by another than the next. */
function countHoles(numbers: readonly number[]): number {
  return numbers.filter((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1).length
}

/** The same numbers in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
