import { expect, it } from 'vitest'

import type { TranscriptionEvent } from '../src/events.ts'
import { presets } from '../src/presets.ts'
import { bytesPerSecond, offline, samples } from './offline.ts'

const DAY_MS = 24 * 3_600_000
const DROPS = 50

it('R-51, R-54: a day of live transcription, with long silences and 50 lost connections, misses nothing', async () => {
  const { speech, clock, emulator } = await offline()
  const { control } = emulator.speech
  await using live = await speech.listen(
    { encoding: 'linear16' },
    { reconnect: true, timestamps: { ...presets.emulator.timestamps, bytesPerSecond } },
  )
  const events: TranscriptionEvent[] = []
  // A slow reader.
  const reading = (async () => {
    for await (const event of live) {
      events.push(event)
      await new Promise<void>((resolve) => clock.setTimer(resolve, 500))
    }
  })()
  let mostBuffered = 0
  for (let round = 0; round < DROPS; round += 1) {
    for (let piece = 0; piece < 4; piece += 1) await live.sendAudio(samples(500))
    mostBuffered = Math.max(mostBuffered, live.bufferedBytes)
    // Minutes of silence: only the keep-alive messages keep the connection open.
    await clock.advance(DAY_MS / DROPS)
    expect(live.state).toBe('open')
    control.dropConnection(control.connections().at(-1)?.id ?? -1)
    await clock.advance(5000)
  }
  await live.close()
  await reading

  expect(clock.elapsedMs).toBeGreaterThanOrEqual(DAY_MS)
  const gaps = events.filter(({ type }) => type === 'reconnected')
  expect(gaps).toHaveLength(DROPS)
  const ends = events.filter(({ type }) => type === 'event').map(({ data }) => (data as { end: number }).end)
  // Every piece was heard, and the timestamps continue across all connections.
  expect(ends).toEqual(Array.from({ length: DROPS }, (_, round) => (round + 1) * 2))
  expect(mostBuffered).toBeLessThan(2 ** 20)
  // Only the connections that the test dropped, and the last one, ended.
  expect(emulator.speech.control.violations()).toEqual([])
  expect(control.connections()).toHaveLength(DROPS + 1)
})
