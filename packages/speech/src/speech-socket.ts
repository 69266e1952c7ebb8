import type { ConnectionState, StandardSchema } from '@concord/runtime'
import type { CloseOptions, ConnectionEnd, FinishOptions, RawSendOptions } from '@concord/runtime/internal'

import { type AnyEvent, toEvent, type TranscriptionEvent } from './events.ts'
import type { AnyReceived, OpenChannel } from './open-channel.ts'

/**
 * An open WebSocket of the service. Iterate it to read its events; leaving the loop doesn't close it.
 *
 * The promises of its sending methods may be ignored: a failure that no one handles ends the connection, so that the
 * loop and `closed` report it.
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

  /** Resolves when it is over, however it ended; never rejects. */
  get closed(): Promise<ConnectionEnd> {
    return this.#connection.closed
  }

  /** Bytes that were sent but haven't left for the network, and bytes that are held back. */
  get bufferedBytes(): number {
    return this.#connection.bufferedBytes
  }

  /**
   * Sends any JSON message, unchecked: most messages of the service are not shown by its documentation. With `replay`
   * it is sent again on each new connection, because it configures the connection.
   *
   * @throws SocketError when the connection is over, or too much is waiting to be sent; RequestInvalidError for what
   * JSON cannot express.
   */
  sendJson(message: unknown, options?: RawSendOptions): Promise<void> {
    return this.#connection.sendJson(message, options)
  }

  /**
   * Closes the connection now: what was sent goes out first, as far as `closeTimeoutMs` allows, and the loop gets what
   * still arrives. To close after a recording, use {@link SpeechSocket.finish}.
   */
  close(options?: CloseOptions): Promise<ConnectionEnd> {
    return this.#connection.close(options)
  }

  /**
   * Closes the connection once everything is done: the service has taken every byte, every event that arrived was read,
   * and then nothing came for `quietMs` (default 5,000). How the service says that it has heard everything is not shown
   * by its documentation, so quiet is taken as the sign.
   */
  finish(options?: FinishOptions): Promise<ConnectionEnd> {
    return this.#connection.finish(options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close()
  }

  /** Events in the order in which they arrived. @throws SocketError when the connection didn't end properly. */
  [Symbol.asyncIterator](): AsyncIterator<Item, undefined> {
    const iterator = this.#connection[Symbol.asyncIterator]()
    // One promise for each message, unless the caller's schema needs another.
    const toItem = (
      result: IteratorResult<AnyReceived, undefined>,
    ): IteratorResult<Item, undefined> | Promise<IteratorResult<Item, undefined>> => {
      if (result.done === true) return result
      const event: AnyEvent | Promise<AnyEvent> = toEvent(result.value, this.#schema)
      if (event instanceof Promise) return event.then((value) => ({ done: false, value: value as Item }))
      return { done: false, value: event as Item }
    }
    return {
      next: () => iterator.next().then(toItem),
      return: async () => {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }
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
   * Sends a chunk of audio. Resolves when there is room for more. Empty chunks are left out, because they would end the
   * connection. Don't change the bytes afterwards.
   *
   * @throws SocketError when the connection is over, or too much is waiting to be sent; RequestInvalidError for anything
   * but a Uint8Array.
   */
  sendAudio(bytes: Uint8Array): Promise<void> {
    return this.#connection.sendBinary(bytes)
  }

  /**
   * Sends every chunk of audio of a source, as fast as the connection takes it. Ends with the source. If the promise is
   * ignored and the source fails, the connection ends with the error of the source.
   */
  sendFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    return this.#connection.sendFrom(source)
  }
}

/** An open live transcription. @public */
export type LiveTranscription<Event = unknown> = AudioSocket<TranscriptionEvent<Event>>
