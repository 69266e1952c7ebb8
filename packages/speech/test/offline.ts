import { createEmulator, type Emulator, type EmulatorOptions } from '@concord/emulator'
import type { DriftReport } from '@concord/runtime'
import { memoryTransport, virtualClock, type VirtualClock } from '@concord/runtime/testing'
import { expect, onTestFinished } from 'vitest'

import { Speech } from '../src/client.ts'
import type { SpeechOptions } from '../src/options.ts'

/** A client and an emulator in one process, sharing a virtual clock that advances by itself. */
export interface Offline {
  readonly clock: VirtualClock
  readonly emulator: Emulator
  readonly speech: Speech
  /** Creates another client of the same emulator. */
  client(options?: Partial<SpeechOptions>): Speech
}

/** Creates both, and closes them when the test has finished. */
export async function offline(
  emulated: EmulatorOptions['speech'] = {},
  options: Partial<SpeechOptions> = {},
): Promise<Offline> {
  const clock = virtualClock({ start: Date.UTC(2026, 2, 2, 9) })
  const emulator = await createEmulator({ clock, seed: 1, speech: emulated })
  const made: Speech[] = []
  const drift: DriftReport[] = []
  const client = (own: Partial<SpeechOptions> = {}): Speech => {
    const speech = new Speech({
      apiUrl: emulator.speech.apiUrl,
      agentUrl: emulator.speech.agentUrl,
      ...(own.accessToken === undefined ? { apiKey: emulator.speech.apiKey } : undefined),
      transport: memoryTransport((request) => emulator.speech.fetch(request)),
      socketFactory: emulator.speech.socketFactory,
      clock,
      random: () => 0.5,
      // An error in `onDrift` never affects a call, so the reports are checked at the end.
      onDrift: (report) => drift.push(report),
      ...options,
      ...own,
    } as SpeechOptions)
    made.push(speech)
    return speech
  }
  onTestFinished(async () => {
    await Promise.all(made.map((speech) => speech.close()))
    await emulator.close()
    clock[Symbol.dispose]()
    expect(drift, 'the emulator drifted from the contract').toEqual([])
  })
  return { clock, emulator, speech: client(), client }
}

/** Returns raw samples of the given duration: 16-bit mono, 16 kHz. */
export const samples = (ms: number): Uint8Array<ArrayBuffer> => new Uint8Array(ms * 32)
/** The number of bytes in one second of {@link samples}. */
export const bytesPerSecond = 32_000

/** Yields audio like a microphone: a piece every 100 ms of the clock. */
export async function* inRealTime(clock: VirtualClock, ms: number): AsyncGenerator<Uint8Array> {
  for (let passed = 0; passed < ms; passed += 100) {
    await new Promise<void>((resolve) => clock.setTimer(resolve, 100))
    yield samples(100)
  }
}

/** Returns a WAV file with silence of the given duration. */
export function wav(ms: number): Uint8Array<ArrayBuffer> {
  const data = samples(ms)
  const bytes = new Uint8Array(44 + data.length)
  const view = new DataView(bytes.buffer)
  const text = (at: number, letters: string): void => bytes.set(new TextEncoder().encode(letters), at)
  text(0, 'RIFF')
  view.setUint32(4, 36 + data.length, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, 16_000, true)
  view.setUint32(28, 32_000, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, data.length, true)
  return bytes
}
