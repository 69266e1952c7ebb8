import { randomFillSync } from 'node:crypto'
import type { Socket } from 'node:net'

/** Frames are written to the network in pieces of about this size; a larger frame needs another writer. */
const CHUNK_BYTES = 65_536
const MAX_HEADER_BYTES = 14
const MASK_POOL_BYTES = 8_192

const TEXT = 1
const BINARY = 2

/**
 * Writes the frames of a client to a socket (RFC 6455, section 5.2): the frames of one turn together, each copied and
 * masked in one pass. Anything else that writes to the socket has to call {@link FrameWriter.flush} first.
 */
export class FrameWriter {
  readonly #wire: Socket
  readonly #onWritten: () => void
  #chunk: Buffer = Buffer.allocUnsafeSlow(0)
  /** The chunk as words; it begins at a word boundary, so that most of a frame can be masked word by word. */
  #words: Int32Array = new Int32Array(0)
  /** The chunk was passed to the socket up to this offset. */
  #written = 0
  #used = 0
  #mustNotify = false
  #masks: Buffer = Buffer.allocUnsafeSlow(MASK_POOL_BYTES)
  #mask = MASK_POOL_BYTES

  /** @param onWritten Called when a frame that asked for it has left for the network. */
  constructor(wire: Socket, onWritten: () => void) {
    this.#wire = wire
    this.#onWritten = onWritten
  }

  /** The bytes that were not passed to the socket yet. */
  get pendingBytes(): number {
    return this.#used - this.#written
  }

  /** Adds a frame, which the next {@link FrameWriter.flush} writes. Returns false if it is too large. */
  add(data: string | Uint8Array, notify: boolean): boolean {
    const length = typeof data === 'string' ? Buffer.byteLength(data) : data.length
    const maxBytes = length + MAX_HEADER_BYTES
    if (maxBytes > CHUNK_BYTES) return false
    if (maxBytes > this.#chunk.length - this.#used) this.#begin()
    const start = this.#header(typeof data === 'string' ? TEXT : BINARY, length)
    if (typeof data === 'string') this.#chunk.write(data, start)
    else this.#chunk.set(data, start)
    this.#used = start + length
    this.#applyMask(start)
    if (notify) this.#mustNotify = true
    return true
  }

  flush(): void {
    if (this.#used === this.#written) return
    const frames = this.#chunk.subarray(this.#written, this.#used)
    this.#written = this.#used
    const notify = this.#mustNotify
    this.#mustNotify = false
    if (notify) this.#wire.write(frames, this.#onWritten)
    else this.#wire.write(frames)
  }

  #begin(): void {
    this.flush()
    this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    this.#words = new Int32Array(this.#chunk.buffer, 0, CHUNK_BYTES / 4)
    this.#written = this.#used = 0
  }

  /** Writes the header up to its masking key. Returns the offset of the payload. */
  #header(opcode: number, length: number): number {
    const chunk = this.#chunk
    const at = this.#used
    chunk[at] = 0x80 | opcode
    let start = at + 6
    if (length < 126) chunk[at + 1] = 0x80 | length
    else {
      chunk[at + 1] = 0x80 | 126
      chunk[at + 2] = length >>> 8
      chunk[at + 3] = length & 0xff
      start = at + 8
    }
    if (this.#mask === MASK_POOL_BYTES) {
      randomFillSync(this.#masks)
      this.#mask = 0
    }
    chunk.set(this.#masks.subarray(this.#mask, this.#mask + 4), start - 4)
    this.#mask += 4
    return start
  }

  /** Masks the payload, which ends at the end of the chunk, in place. */
  #applyMask(start: number): void {
    const chunk = this.#chunk
    const end = this.#used
    let at = start
    const key = start - 4
    for (; at < end && (at & 3) !== 0; at++) chunk[at]! ^= chunk[key + ((at - start) & 3)]!
    const shift = (at - start) & 3
    const byte = (index: number): number => chunk[key + ((shift + index) & 3)]!
    // Words have the byte order of the host, and so must the key.
    const word = new Int32Array(Uint8Array.of(byte(0), byte(1), byte(2), byte(3)).buffer)[0]!
    const words = this.#words
    const lastWord = end >>> 2
    for (let index = at >>> 2; index < lastWord; index++) words[index]! ^= word
    at = Math.max(at, lastWord << 2)
    for (; at < end; at++) chunk[at]! ^= chunk[key + ((at - start) & 3)]!
  }
}
