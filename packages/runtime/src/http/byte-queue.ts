/** Pieces shorter than this are joined once several are waiting. */
const SHORT_BYTES = 1_024
const FEW_PIECES = 8
const JOINED_BYTES = 16_384

const NOTHING = new Uint8Array(0)

/**
 * Bytes in the order in which they arrived. Short pieces are copied together, so that memory and time follow the bytes:
 * a peer that sends one byte at a time would otherwise cost a hundred bytes of memory for each.
 */
export class ByteQueue {
  sizeBytes = 0
  #pieces: Uint8Array[] = []
  #head = 0
  /** How much of the last piece is filled, while short pieces are being copied into it. */
  #filledBytes: number | undefined = undefined

  get empty(): boolean {
    return this.#head === this.#pieces.length
  }

  push(piece: Uint8Array): void {
    this.sizeBytes += piece.length
    const few = this.#pieces.length - this.#head < FEW_PIECES && this.#filledBytes === undefined
    if (few || piece.length >= SHORT_BYTES) {
      this.#seal()
      this.#pieces.push(piece)
      return
    }
    if (this.#filledBytes === undefined || this.#filledBytes + piece.length > JOINED_BYTES) {
      this.#seal()
      this.#pieces.push(new Uint8Array(JOINED_BYTES))
      this.#filledBytes = 0
    }
    this.#pieces.at(-1)!.set(piece, this.#filledBytes)
    this.#filledBytes += piece.length
  }

  /** Removes the first piece; `undefined` when the queue is empty. */
  shift(): Uint8Array | undefined {
    if (this.empty) return undefined
    if (this.#head === this.#pieces.length - 1) this.#seal()
    const piece = this.#pieces[this.#head]!
    this.#pieces[this.#head++] = NOTHING
    // Removing the first item of a long array moves all others, so the head moves instead.
    if (this.#head === this.#pieces.length || this.#head === 1_024) {
      this.#pieces.splice(0, this.#head)
      this.#head = 0
    }
    this.sizeBytes -= piece.length
    return piece
  }

  clear(): void {
    this.#pieces = []
    this.#head = this.sizeBytes = 0
    this.#filledBytes = undefined
  }

  /** All pieces, which stay in the queue. */
  pieces(): readonly Uint8Array[] {
    this.#seal()
    return this.#head === 0 ? this.#pieces : this.#pieces.slice(this.#head)
  }

  /** All bytes as one piece. */
  join(): Uint8Array<ArrayBuffer> {
    return concat(this.pieces(), this.sizeBytes)
  }

  #seal(): void {
    if (this.#filledBytes === undefined) return
    const last = this.#pieces.length - 1
    this.#pieces[last] = this.#pieces[last]!.subarray(0, this.#filledBytes)
    this.#filledBytes = undefined
  }
}

/** All pieces as one. */
export function concat(pieces: readonly Uint8Array[], sizeBytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(sizeBytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
