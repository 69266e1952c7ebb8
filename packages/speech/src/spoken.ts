import type { StreamedExchange } from '@concord/runtime/internal'

import { synthesize } from './gen/operations.gen.ts'

/** Accepts audio of any media type, because the documentation names no media type. */
export const spokenAudio: typeof synthesize = /* @__PURE__ */ (() => ({
  ...synthesize,
  responses: { ...synthesize.responses, 200: { ...synthesize.responses[200], isMedia: true } },
}))() as typeof synthesize

/**
 * The audio of a `speak` call, as it arrives. Read it only once: as bytes, as a stream, or with `for await`.
 *
 * @public
 */
export class SpokenAudio implements AsyncIterable<Uint8Array> {
  readonly #response: StreamedExchange

  constructor(response: StreamedExchange) {
    this.#response = response
  }

  /** The media type that the service sent; the documentation names none. */
  get contentType(): string | undefined {
    return this.#response.headers.get('content-type') ?? undefined
  }

  get headers(): Headers {
    return this.#response.headers
  }

  /** The audio as a stream. Read the stream to the end, or cancel it. */
  get body(): ReadableStream<Uint8Array> {
    return this.#response.body
  }

  /** Reads all of the audio into memory. @throws TypeError if the audio has already been read. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    this.#checkUnread()
    return new Uint8Array(
      await new Response(this.body as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
    )
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    this.#checkUnread()
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

  #checkUnread(): void {
    if (this.body.locked)
      throw new TypeError(
        'The audio from speak() has already been read, and it can be read only once. Keep the result, or call speak() again.',
      )
  }
}
