/** Limits the size of each body, and of all bodies in memory at the same time. */
export class BodyLimit {
  readonly #maxBytes: number
  readonly #maxTotalBytes: number
  #heldBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#maxTotalBytes = 4 * maxBytes
  }

  /** Starts counting the bytes of one body. Call `release` when the body leaves memory. */
  open(): { readonly add: (bytes: number) => void; readonly release: () => void } {
    let bodyBytes = 0
    return {
      add: (bytes) => {
        bodyBytes += bytes
        this.#heldBytes += bytes
        if (bodyBytes > this.#maxBytes)
          throw new BodyTooLarge(413, `The body is longer than ${this.#maxBytes} bytes.`)
        if (this.#heldBytes > this.#maxTotalBytes)
          throw new BodyTooLarge(503, `The bodies in progress exceed ${this.#maxTotalBytes} bytes in total.`)
      },
      release: () => {
        this.#heldBytes -= bodyBytes
        bodyBytes = 0
      },
    }
  }
}

/** A body exceeds a {@link BodyLimit}. `status` is the status of the response to send. */
export class BodyTooLarge extends Error {
  readonly status: 413 | 503

  constructor(status: 413 | 503, message: string) {
    super(message)
    this.status = status
  }
}
