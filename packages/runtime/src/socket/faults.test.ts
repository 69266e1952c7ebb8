import fc from 'fast-check'
import { expect, it } from 'vitest'

import { Semaphore } from '../limit/limits.ts'
import type { MemoryHandshake } from '../testing/memory-socket.ts'
import { connect } from './connect.ts'
import { opened, radio, studio, unhandledRejections } from './test-support/radio.ts'

const named = <Name extends string, Value>(name: Name, value: fc.Arbitrary<Value>) =>
  fc.tuple(fc.constant(name), value)

/** A step of the caller, the server or the network, and its argument. */
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(
      fc.constantFrom('drop', 'stall', 'unstall', 'line', 'ack', 'request', 'read'),
      fc.constant(undefined),
    ),
  },
  { weight: 1, arbitrary: named('serverClose', fc.constantFrom(1000, 1001, 1005, 1011, 3999)) },
  { weight: 2, arbitrary: named('garbage', fc.oneof(fc.string(), fc.json(), fc.uint8Array())) },
  { weight: 6, arbitrary: named('send', fc.integer({ min: 0, max: 400 })) },
  { weight: 6, arbitrary: named('advance', fc.integer({ min: 0, max: 9000 })) },
  {
    weight: 2,
    arbitrary: named(
      'denied',
      fc.constantFrom<MemoryHandshake>({ status: 503 }, { status: 403 }, 'unreachable', 'silent'),
    ),
  },
  { weight: 1, arbitrary: named('clientClose', fc.constant(undefined)) },
)
type Step = typeof step extends fc.Arbitrary<infer Chosen> ? Chosen : never

it('R-52, R-53, R-54, R-55: whatever happens, everything settles, nothing comes twice or out of order, and nothing is left over', async () => {
  using unhandled = unhandledRejections()
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.record({
        reconnect: fc.boolean(),
        whenFull: fc.constantFrom('pressure' as const, 'overflow' as const),
        ends: fc.constantFrom('close' as const, 'abort' as const),
      }),
      playOut,
    ),
    { numRuns: 400 },
  )
  expect(unhandled.errors).toEqual([])
})

it('R-50: 10,000 malformed messages do no harm', async () => {
  using unhandled = unhandledRejections()
  const { connection, peers } = await opened()
  const messages = fc.sample(
    fc.oneof(
      fc.string(),
      fc.json(),
      fc.uint8Array(),
      fc.json().map((json) => json.slice(0, -1)),
      fc
        .anything()
        .map((data) =>
          JSON.stringify({ type: 'Line', text: data }, (_, value: unknown) =>
            typeof value === 'bigint' ? String(value) : value,
          ),
        ),
      fc.constantFrom(
        '{"type":"Line"}',
        '{"type":"__proto__"}',
        '{"__proto__":{"type":"Line"}}',
        '[]',
        'null',
        '""',
      ),
    ),
    { numRuns: 10_000, seed: 42 },
  )
  for (const message of messages) peers[0]?.send(message)
  peers[0]?.send('{"type":"Tuned"}')
  let count = 0
  for await (const { message } of connection) {
    count += 1
    if (message === 'tuned') break
  }
  expect(count).toBe(10_001)
  expect(connection.state).toBe('open')
  await connection.close()
  expect(unhandled.errors).toEqual([])
})

interface Choices {
  readonly reconnect: boolean
  readonly whenFull: 'pressure' | 'overflow'
  readonly ends: 'close' | 'abort'
}

async function playOut(steps: readonly Step[], { reconnect, whenFull, ends }: Choices): Promise<void> {
  let reply: MemoryHandshake
  const { client, clock, peers } = studio(() => {
    const now = reply
    reply = undefined
    return now
  })
  const semaphore = new Semaphore(1)
  const controller = new AbortController()
  const connection = await connect(client, radio, {
    reconnect,
    connectionLimit: semaphore,
    signal: controller.signal,
    handshakeTimeoutMs: 500,
    sending: { highBytes: 500, lowBytes: 100, maxBytes: 2000 },
    receiving: { whenFull, maxMessages: 5 },
  })
  const reader = connection[Symbol.asyncIterator]()
  let pending = 0
  const follow = (work: Promise<unknown>): void => {
    pending += 1
    work.then(
      () => (pending -= 1),
      () => (pending -= 1),
    )
  }
  const lines: number[] = []
  let sent = 0
  let spoken = 0
  const read = async () => {
    const { value } = await reader.next()
    if (value?.message === 'line') lines.push(Number(value.data.text))
  }
  const peer = () => peers.at(-1)
  const actions: Record<Step[0], (value: never) => unknown> = {
    drop: () => peer()?.drop(),
    stall: () => peer()?.stall(),
    unstall: () => peer()?.unstall(),
    line: () => peer()?.send(`{"type":"Line","text":"${spoken++}"}`),
    ack: () => peer()?.send('{"type":"Tuned"}'),
    serverClose: (code: number) => peer()?.close(code),
    garbage: (data: string | Uint8Array) => peer()?.send(data),
    denied: (response: MemoryHandshake) => (reply = response),
    request: () => follow(connection.request('tune', { type: 'Tune' })),
    clientClose: () => follow(connection.close()),
    send: (sizeBytes: number) => follow(connection.sendBinary(numbered(sent++, sizeBytes))),
    read: () => follow(read()),
    advance: (ms: number) => clock.advance(ms),
  }
  for (const [name, value] of steps) {
    const done = actions[name](value as never)
    if (name === 'advance') await done
    expect(connection.bufferedBytes).toBeLessThan(2000 + 500 + 30 * 64)
  }
  if (ends === 'abort') controller.abort('the end')
  follow(connection.close())
  await clock.advance(10_000)
  await connection.closed
  await clock.settle()
  expect(connection.state).toBe('closed')
  expect(pending).toBe(0)
  expect(clock.timers).toBe(0)
  expect(semaphore.free).toBe(1)
  const arrived = peers.flatMap(({ received }) =>
    received.filter((data) => typeof data !== 'string').map(numberOf),
  )
  expect(arrived).toEqual([...new Set(arrived)].sort((a, b) => a - b))
  expect(lines).toEqual([...new Set(lines)].sort((a, b) => a - b))
}

/** A binary message that differs from the others; empty ones would not be sent. */
function numbered(number: number, sizeBytes: number): Uint8Array {
  const data = new Uint8Array(4 + sizeBytes)
  new DataView(data.buffer).setUint32(0, number)
  return data
}

function numberOf(data: string | Uint8Array): number {
  const bytes = data as Uint8Array
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
}
