/** Samples and their rate. */
export interface Recording {
  /** 16-bit samples of one channel, in the byte order of the file. */
  readonly samples: Uint8Array<ArrayBuffer>
  readonly samplesPerSecond: number
}

const HEADER_BYTES = 44

/** Reads a plain WAV file: one channel of 16-bit samples behind a header of 44 bytes, as the emulator makes them. */
export function fromWav(file: Uint8Array<ArrayBuffer>): Recording {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  return { samples: file.subarray(HEADER_BYTES), samplesPerSecond: view.getUint32(24, true) }
}

/** Makes a WAV file that any player can play. */
export function toWav({ samples, samplesPerSecond }: Recording): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(HEADER_BYTES + samples.length)
  const view = new DataView(file.buffer)
  const text = (at: number, letters: string) => file.set(new TextEncoder().encode(letters), at)
  text(0, 'RIFF')
  view.setUint32(4, 36 + samples.length, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, samplesPerSecond, true)
  view.setUint32(28, 2 * samplesPerSecond, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, samples.length, true)
  file.set(samples, HEADER_BYTES)
  return file
}

/** The length of a recording in seconds. */
export const secondsOf = ({ samples, samplesPerSecond }: Recording): number =>
  samples.length / 2 / samplesPerSecond

/** Joins pieces of audio. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(pieces))
}
