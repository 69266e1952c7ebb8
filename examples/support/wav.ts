/** Audio samples with their sample rate. */
export interface Recording {
  /** 16-bit mono samples, in the byte order of a WAV file. */
  readonly samples: Uint8Array<ArrayBuffer>
  readonly samplesPerSecond: number
}

const HEADER_BYTES = 44

/** Reads a plain WAV file, like those that the emulator returns: a 44-byte header, then 16-bit mono samples. */
export function fromWav(file: Uint8Array<ArrayBuffer>): Recording {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  return { samples: file.subarray(HEADER_BYTES), samplesPerSecond: view.getUint32(24, true) }
}

/** Makes a WAV file that any player can play. */
export function toWav({ samples, samplesPerSecond }: Recording): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(HEADER_BYTES + samples.length)
  const view = new DataView(file.buffer)
  const write = (at: number, text: string) => file.set(new TextEncoder().encode(text), at)
  write(0, 'RIFF')
  view.setUint32(4, 36 + samples.length, true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, samplesPerSecond, true)
  view.setUint32(28, 2 * samplesPerSecond, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  write(36, 'data')
  view.setUint32(40, samples.length, true)
  file.set(samples, HEADER_BYTES)
  return file
}

/** Returns the length of a recording in seconds. */
export const secondsOf = ({ samples, samplesPerSecond }: Recording): number =>
  samples.length / 2 / samplesPerSecond

/** Joins pieces of audio. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(pieces))
}
