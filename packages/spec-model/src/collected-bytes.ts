/**
 * Collects the pieces of a body in one buffer. In an array, each piece would need about a hundred bytes of memory,
 * even if the piece is a single byte.
 */
export class CollectedBytes {
  #bytes = new Uint8Array(4_096)
  #sizeBytes = 0

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  add(piece: Uint8Array): void {
    const sizeBytes = this.#sizeBytes + piece.length
    if (sizeBytes > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(sizeBytes, 2 * this.#bytes.length))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes.set(piece, this.#sizeBytes)
    this.#sizeBytes = sizeBytes
  }

  clear(): void {
    this.#bytes = new Uint8Array(0)
    this.#sizeBytes = 0
  }

  whole(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#sizeBytes)
  }
}
