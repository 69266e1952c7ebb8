import type { StreamedExchange } from '@concord/runtime'

/** Audio of one-shot synthesis, as it comes. Read it once: as bytes, as a stream, or with `for await`. @public */
export class SpokenAudio implements AsyncIterable<Uint8Array> {
  readonly #answer: StreamedExchange

  constructor(answer: StreamedExchange) {
    this.#answer = answer
  }

  /** The media type that the service gave; the documentation names none. */
  get contentType(): string | undefined {
    return this.#answer.headers.get('content-type') ?? undefined
  }

  get headers(): Headers {
    return this.#answer.headers
  }

  /** Must be read to its end, or cancelled. */
  get body(): ReadableStream<Uint8Array> {
    return this.#answer.body
  }

  /** All of it in memory. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(
      await new Response(this.body as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
    )
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = this.body.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        yield value
      }
    } finally {
      await reader.cancel()
    }
  }
}
