import fc from 'fast-check'
import { expect, it } from 'vitest'
import { connect } from './connect.ts'
import type { Gap } from './connection.ts'
import type { ConnectOptions } from './options.ts'
import { gatedRadio, type Radio, radio, studio } from './test-support/radio.ts'

const CHUNK_BYTES = 10

const step = fc.constantFrom(
  ...(['send', 'send', 'send', 'stall', 'unstall', 'drop', 'close', 'speak', 'advance', 'settle'] as const),
)

const story = fc.record({
  steps: fc.array(step, { minLength: 10, maxLength: 25 }),
  hasGate: fc.boolean(),
  sends: fc.constantFrom('wait' as const, 'fail' as const),
  resendBytes: fc.constantFrom(0, 3 * CHUNK_BYTES, 1_000_000),
  finishes: fc.boolean(),
})

it('R-53, R-54, R-59: every chunk that was accepted arrives or is reported, whatever server and network do', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { accepted, arrived, gaps, unsentBytes } = await play(told)
      const missing = accepted.filter((id) => !arrived.flat().includes(id))
      const reportedBytes = gaps.reduce((sum, { possiblyLostBytes }) => sum + possiblyLostBytes, unsentBytes)
      expect(missing.length * CHUNK_BYTES).toBeLessThanOrEqual(reportedBytes)
      // With room for all of it, nothing is lost in between.
      if (told.resendBytes === 1_000_000 && unsentBytes === 0) expect(missing).toEqual([])
      for (const ids of arrived) expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    }),
    { numRuns: 150, seed: 5 },
  )
}, 60_000)

type Story = typeof story extends fc.Arbitrary<infer Told> ? Told : never

/** Plays a story to its end. */
async function play({ steps, hasGate, sends, resendBytes, finishes }: Story) {
  const { client, clock, peers } = studio((peer) => {
    peer.onMessage = (data) => {
      if (hasGate && typeof data === 'string' && data.includes('Tune')) peer.send('{"type":"Tuned"}')
    }
  })
  const options: ConnectOptions<Radio> = {
    liveness: false,
    reconnect: { sends, resendBytes, baseMs: 100, heard: ({ message }) => message === 'line' },
    acknowledged: ({ message }) => message === 'tuned',
  }
  const connection = await connect(client, hasGate ? gatedRadio : radio, options)
  if (hasGate) await connection.send('tune', { type: 'Tune' })
  const gaps: Gap[] = []
  const reading = (async () => {
    for await (const { type, data } of connection) if (type === 'reconnected') gaps.push(data)
  })().catch(() => undefined)
  const accepted: number[] = []
  let next = 0
  for (const each of steps) {
    const peer = peers.at(-1)
    if (each === 'send') {
      const id = next++
      const sent = connection.sendBinary(new Uint8Array(CHUNK_BYTES).fill(id))
      sent.then(
        () => accepted.push(id),
        () => undefined,
      )
    } else if (each === 'close') peer?.close(next % 2 === 0 ? 1000 : 1011)
    else if (each === 'speak') peer?.send('{"type":"Line","text":"about what was heard"}')
    else if (each === 'advance') await clock.advance(150)
    else if (each === 'settle') await clock.settle()
    else peer?.[each]()
  }
  await clock.advance(2_000)
  const ended = finishes ? connection.finish({ quietMs: 100 }) : connection.close()
  peers.at(-1)?.unstall()
  await clock.advance(70_000)
  const { unsent } = await ended
  await reading
  clock[Symbol.dispose]()
  const arrived = peers.map(({ received }) =>
    received.filter((data) => typeof data !== 'string').map(([id = -1]) => id),
  )
  return { accepted, arrived, gaps, unsentBytes: unsent.bytes }
}
