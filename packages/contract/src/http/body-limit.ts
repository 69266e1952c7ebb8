/** Bounds the memory that bodies take: each of them, and all that are held at the same time. */
export class BodyLimit {
  readonly #maxBytes: number
  readonly #maxTotalBytes: number
  #heldBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#maxTotalBytes = 4 * maxBytes
  }

  /** Counts bytes of a body; `release` returns all of them. */
  open(): { readonly add: (bytes: number) => void; readonly release: () => void } {
    let bodyBytes = 0
    return {
      add: (bytes) => {
        bodyBytes += bytes
        this.#heldBytes += bytes
        if (bodyBytes > this.#maxBytes)
          throw new BodyTooLarge(413, `The body is longer than ${this.#maxBytes} bytes.`)
        if (this.#heldBytes > this.#maxTotalBytes)
          throw new BodyTooLarge(
            503,
            `The bodies under way are longer than ${this.#maxTotalBytes} bytes together.`,
          )
      },
      release: () => {
        this.#heldBytes -= bodyBytes
        bodyBytes = 0
      },
    }
  }
}

/** A body that exceeds a {@link BodyLimit}, with the status to answer it with. */
export class BodyTooLarge extends Error {
  readonly status: 413 | 503

  constructor(status: 413 | 503, message: string) {
    super(message)
    this.status = status
  }
}
