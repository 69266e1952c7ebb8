import type { ConnectionState, StandardSchema } from '@concord/runtime'
import type { CloseOptions, ConnectionEnd, FinishOptions, RawSendOptions } from '@concord/runtime/internal'

import { type AnyEvent, toEvent, type TranscriptionEvent } from './events.ts'
import type { AnyReceived, OpenChannel } from './open-channel.ts'

/**
 * An open WebSocket connection to the service. Read events with a `for await` loop. Leaving the loop doesn't close
 * the connection.
 *
 * You can ignore the promises that the sending methods return: a failure then ends the connection, and the loop and
 * `closed` report the failure. If you await or chain such a promise, even with only `.then`, the loop doesn't report
 * the failure, and you have to handle it yourself.
 *
 * @public
 */
export class AudioSocket<Item> implements AsyncDisposable, AsyncIterable<Item, undefined> {
  readonly #connection: OpenChannel
  readonly #schema: StandardSchema | undefined

  constructor(connection: OpenChannel, schema: StandardSchema | undefined) {
    this.#connection = connection
    this.#schema = schema
  }

  get state(): ConnectionState {
    return this.#connection.state
  }

  /** Resolves when the connection has ended, for whatever reason. Never rejects. */
  get closed(): Promise<ConnectionEnd> {
    return this.#connection.closed
  }

  /**
   * How many bytes are waiting to be written to the network. Includes messages that are held back during a reconnect,
   * or until an agent's settings are acknowledged.
   */
  get bufferedBytes(): number {
    return this.#connection.bufferedBytes
  }

  /**
   * Sends a chunk of audio. Resolves when there is room for more. Skips empty chunks, because they would end the
   * connection. Don't modify `bytes` afterward.
   *
   * @throws SocketError if the connection has ended, or if too much is waiting to be sent; RequestInvalidError if
   * `bytes` isn't a Uint8Array.
   */
  sendAudio(bytes: Uint8Array): Promise<void> {
    return this.#connection.sendBinary(bytes)
  }

  /**
   * Sends all chunks of a source, as fast as the connection accepts them. Resolves when the source ends. If you
   * ignore the promise and the source fails, the connection ends, and the loop over the events throws the source's
   * error.
   *
   * To close the connection after the last chunk, call {@link AudioSocket.finish} right after `sendFrom`, without
   * waiting for its promise.
   */
  sendFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    return this.#connection.sendFrom(source)
  }

  /**
   * Sends any JSON message. The client doesn't check it, because the documentation doesn't show most of the service's
   * messages. With `replay`, the client sends the message again on each new connection. Use `replay` for messages
   * that configure the connection.
   *
   * @throws SocketError if the connection has ended, or if too much is waiting to be sent; RequestInvalidError for
   * values that JSON can't express.
   */
  sendJson(message: unknown, options?: RawSendOptions): Promise<void> {
    return this.#connection.sendJson(message, options)
  }

  /**
   * Closes the connection. For at most `closeTimeoutMs`, data in the send buffer is still sent, and events that
   * arrive can still be read. To close the connection after a whole recording, use {@link AudioSocket.finish}.
   */
  close(options?: CloseOptions): Promise<ConnectionEnd> {
    return this.#connection.close(options)
  }

  /**
   * Closes the connection once everything is done: every source has ended, the service has received every byte, every
   * event has been read, and then nothing has been sent or received for `quietMs` (default: 5,000). The client waits
   * for this quiet time because the documentation names no event that says that the service has processed everything.
   *
   * Call `finish` right after {@link AudioSocket.sendFrom}, without waiting for the source to end. You can ignore the
   * promise.
   *
   * @example
   * ```ts
   * const live = await speech.listen({ model: 'nova-3' })
   * void live.sendFrom(recording)
   * void live.finish()
   * for await (const event of live) console.log(event.type)
   * ```
   */
  finish(options?: FinishOptions): Promise<ConnectionEnd> {
    return this.#connection.finish(options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close()
  }

  /**
   * Iterates over events in the order in which they arrived.
   *
   * @throws SocketError if the connection didn't end properly.
   */
  [Symbol.asyncIterator](): AsyncIterator<Item, undefined> {
    const iterator = this.#connection[Symbol.asyncIterator]()
    // This isn't an async function, because that would create an additional promise for each message.
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

/** An open live transcription. @public */
export type LiveTranscription<Event = unknown> = AudioSocket<TranscriptionEvent<Event>>
