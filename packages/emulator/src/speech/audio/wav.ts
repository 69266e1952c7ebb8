interface WavFormat {
  readonly bytesPerSecond: number
  /** The offset of the first sample, in bytes. */
  readonly dataOffset: number
}

/** Encodes 16-bit mono samples as a WAV file. */
export function encodeWav(samples: Int16Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const pcm = toPcm(samples)
  const bytes = new Uint8Array(44 + pcm.byteLength)
  const view = new DataView(bytes.buffer)
  const text = (offset: number, letters: string) => bytes.set(new TextEncoder().encode(letters), offset)
  text(0, 'RIFF')
  view.setUint32(4, 36 + pcm.byteLength, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, pcm.byteLength, true)
  bytes.set(pcm, 44)
  return bytes
}

/** Converts 16-bit samples to little-endian bytes. */
export function toPcm(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length * 2)
  const view = new DataView(bytes.buffer)
  for (const [index, sample] of samples.entries()) view.setInt16(index * 2, sample, true)
  return bytes
}

/** Reads the header from the start of a WAV file. Returns `undefined` if the header is damaged or incomplete. */
export function readWav(bytes: Uint8Array): WavFormat | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let bytesPerSecond: number | undefined
  for (let offset = 12; offset + 8 <= bytes.byteLength;) {
    const id = String.fromCharCode(...bytes.subarray(offset, offset + 4))
    const size = view.getUint32(offset + 4, true)
    if (id === 'fmt ' && offset + 24 <= bytes.byteLength) bytesPerSecond = view.getUint32(offset + 16, true)
    if (id === 'data') return bytesPerSecond ? { bytesPerSecond, dataOffset: offset + 8 } : undefined
    offset += 8 + size + (size % 2)
  }
  return undefined
}
