import type { CloseOptions, ConnectionEnd, ConnectionState, StandardSchema } from '@concord/runtime'

import { refineSocketError } from './errors.ts'
import { type AnyEvent, toEvent } from './events.ts'
import type { AnyReceived, OpenChannel } from './open-channel.ts'

/**
 * An open WebSocket of the service. Iterate it to read its events; leaving the loop does not close it.
 *
 * @public
 */
export class SpeechSocket<Item> implements AsyncDisposable, AsyncIterable<Item, undefined> {
  readonly #connection: OpenChannel
  readonly #schema: StandardSchema | undefined

  constructor(connection: OpenChannel, schema: StandardSchema | undefined) {
    this.#connection = connection
    this.#schema = schema
  }

  get state(): ConnectionState {
    return this.#connection.state
  }

  /** Settles when it is over, however it ended; it is never rejected. */
  get closed(): Promise<ConnectionEnd> {
    return this.#connection.closed.then((end) =>
      'error' in end ? { ...end, error: refineSocketError(end.error) } : end,
    )
  }

  /** Bytes that were sent and have not left for the network, and those that are held back. */
  get bufferedBytes(): number {
    return this.#connection.bufferedBytes
  }

  /**
   * Sends any JSON message, unchecked: most messages of the service are not shown by its documentation.
   *
   * @throws SocketError when the connection is over, or too much waits to be sent; RequestInvalidError and TypeError for
   * what cannot be written as JSON.
   */
  async sendJson(message: unknown): Promise<void> {
    await this.#connection.sendText(JSON.stringify(message))
  }

  /** Closes the connection: what was sent goes out first, and the reader gets what still comes. */
  close(options?: CloseOptions): Promise<ConnectionEnd> {
    return this.#connection.close(options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close()
  }

  /** Events in the order in which they came. @throws SocketError when the connection ended as it should not. */
  [Symbol.asyncIterator](): AsyncIterator<Item, undefined> {
    const iterator = this.#connection[Symbol.asyncIterator]()
    // One promise for each message, where the caller's schema does not need another.
    const toItem = (
      result: IteratorResult<AnyReceived, undefined>,
    ): IteratorResult<Item, undefined> | Promise<IteratorResult<Item, undefined>> => {
      if (result.done === true) return result
      const event: AnyEvent | Promise<AnyEvent> = toEvent(result.value, this.#schema)
      if (event instanceof Promise) return event.then((value) => ({ done: false, value: value as Item }))
      return { done: false, value: event as Item }
    }
    const fail = (error: unknown): never => {
      throw refineSocketError(error)
    }
    return { next: () => iterator.next().then(toItem, fail) }
  }
}

/** A {@link SpeechSocket} that takes audio. @public */
export class AudioSocket<Item> extends SpeechSocket<Item> {
  readonly #connection: OpenChannel

  constructor(connection: OpenChannel, schema: StandardSchema | undefined) {
    super(connection, schema)
    this.#connection = connection
  }

  /**
   * Sends a piece of audio. Settles when there is room for more. Empty pieces are left out: they would end the
   * connection. The bytes must not be changed any more.
   *
   * @throws SocketError when the connection is over, or too much waits to be sent; RequestInvalidError for anything but a
   * Uint8Array.
   */
  sendAudio(bytes: Uint8Array): Promise<void> {
    return this.#connection.sendBinary(bytes)
  }

  /** Sends all audio that comes out of a source, as fast as the connection takes it. Ends with the source. */
  sendFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    return this.#connection.sendFrom(source)
  }
}
