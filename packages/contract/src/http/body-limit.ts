/** Counts the bytes of one body. */
export interface HeldBody {
  /** @throws BodyTooLarge if this body exceeds `maxBytes`, or if all bodies in memory together exceed their limit. */
  add(bytes: number): void
  /** Stops counting the body. Call this method when the body leaves memory. */
  release(): void
}

/**
 * Limits the size of each body to `maxBytes`, and the total size of all bodies in memory to four times `maxBytes`.
 *
 * @returns a function that starts to count the bytes of a body.
 */
export function bodyLimit(maxBytes: number): () => HeldBody {
  const maxTotalBytes = 4 * maxBytes
  let heldBytes = 0
  return () => {
    let bodyBytes = 0
    return {
      add(bytes) {
        bodyBytes += bytes
        heldBytes += bytes
        if (bodyBytes > maxBytes) throw new BodyTooLarge(413, `The body is longer than ${maxBytes} bytes.`)
        if (heldBytes > maxTotalBytes)
          throw new BodyTooLarge(503, `All bodies in memory together exceed ${maxTotalBytes} bytes.`)
      },
      release() {
        heldBytes -= bodyBytes
        bodyBytes = 0
      },
    }
  }
}

/** A body exceeds a limit. `status` is the status of the response to send. */
export class BodyTooLarge extends Error {
  readonly status: 413 | 503

  constructor(status: 413 | 503, message: string) {
    super(message)
    this.status = status
  }
}
