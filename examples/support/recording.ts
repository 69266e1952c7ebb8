import { writeFile } from 'node:fs/promises'

import { outputFile } from './output.ts'
import { toWav } from './wav.ts'

const samplesPerSecond = 16_000

/**
 * Returns a tone as 16-bit mono samples, 16,000 per second. The tone contains no speech, but the emulator recognizes
 * words in any audio.
 */
export function tone(seconds: number): Uint8Array<ArrayBuffer> {
  const samples = new Uint8Array(2 * samplesPerSecond * seconds)
  const view = new DataView(samples.buffer)
  for (let at = 0; at < samples.length / 2; at += 1)
    view.setInt16(2 * at, 4_000 * Math.sin((2 * Math.PI * 300 * at) / samplesPerSecond), true)
  return samples
}

/** Writes a recording as a WAV file, and returns its path. */
export async function recording(seconds: number): Promise<string> {
  const path = await outputFile('recording.wav')
  await writeFile(path, toWav({ samples: tone(seconds), samplesPerSecond }))
  return path
}

/** Yields samples in pieces of 100 ms, like a microphone, but without waiting. */
export async function* microphone(seconds: number): AsyncGenerator<Uint8Array> {
  const samples = tone(seconds)
  const pieceBytes = (2 * samplesPerSecond) / 10
  for (let at = 0; at < samples.length; at += pieceBytes) yield samples.subarray(at, at + pieceBytes)
}
