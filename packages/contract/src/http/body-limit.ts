/** Counts the bytes of one body. */
export interface HeldBody {
  /** @throws BodyTooLarge if this body exceeds `maxBytes`, or if all bodies in memory together exceed their limit. */
  add(bytes: number): void
  /** Call this method when the body leaves memory. */
  release(): void
}

/** Limits each body to `maxBytes`, and all bodies in memory together to four times `maxBytes`. */
export function bodyLimit(maxBytes: number): () => HeldBody {
  const maxTotalBytes = 4 * maxBytes
  let heldBytes = 0
  return () => {
    let bodyBytes = 0
    return {
      add(bytes) {
        bodyBytes += bytes
        heldBytes += bytes
        if (bodyBytes > maxBytes)
          throw new BodyTooLarge(
            413,
            `The request or response body is longer than the limit of ${maxBytes} bytes.`,
          )
        if (heldBytes > maxTotalBytes)
          throw new BodyTooLarge(
            503,
            `All bodies in memory together exceed the limit of ${maxTotalBytes} bytes. Send fewer requests at the same time.`,
          )
      },
      release() {
        heldBytes -= bodyBytes
        bodyBytes = 0
      },
    }
  }
}

/** `status` is the status of the response to send. */
export class BodyTooLarge extends Error {
  readonly status: 413 | 503

  constructor(status: 413 | 503, message: string) {
    super(message)
    this.status = status
  }
}
