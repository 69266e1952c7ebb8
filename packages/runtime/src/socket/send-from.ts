import type { ChannelDescriptor } from '../core/channel.ts'
import { SocketError } from '../core/errors.ts'
import { checkSource } from './outgoing.ts'

/** Who has to be told when a connection ends. */
export class Endings {
  readonly #callbacks = new Set<(error: unknown) => void>()
  #ended: { readonly error: unknown } | undefined = undefined

  /** Calls back when it ends, at once if it has; the answer takes the callback back. */
  onEnd(callback: (error: unknown) => void): () => void {
    if (this.#ended !== undefined) callback(this.#ended.error)
    else this.#callbacks.add(callback)
    return () => void this.#callbacks.delete(callback)
  }

  /**
   * The same, for somebody who need not wait for it: who reads is told of the end of the connection, and a rejection that
   * nobody handles would end the process. Any other error has to be handled.
   */
  told(work: Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    work.then(resolve, (error: unknown) => {
      const isEnd = this.#ended !== undefined && this.#ended.error === error
      if (isEnd || (SocketError.is(error) && error.code === 'socket-closed')) promise.catch(() => undefined)
      reject(error)
    })
    return promise
  }

  end(error: unknown): void {
    if (this.#ended !== undefined) return
    this.#ended = { error }
    for (const callback of this.#callbacks) callback(error)
    this.#callbacks.clear()
  }
}

/**
 * Sends all that comes out of a source. A source that is silent for hours must not keep the caller from learning
 * that the connection is over, so each wait for a chunk ends with it as well.
 */
export async function sendAll(
  channel: ChannelDescriptor,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  send: (chunk: Uint8Array) => Promise<void>,
  endings: Endings,
): Promise<void> {
  checkSource(channel, source)
  const iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  let ended: { readonly error: unknown } | undefined
  let giveUp: ((error: unknown) => void) | undefined
  const leave = endings.onEnd((error) => {
    ended = { error }
    giveUp?.(error)
  })
  let done = false
  try {
    for (;;) {
      if (ended !== undefined) throw ended.error
      const result = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        giveUp = reject
        Promise.resolve(iterator.next()).then(resolve, (error: unknown) => {
          done = true
          reject(error as Error)
        })
      })
      giveUp = undefined
      if (result.done === true) {
        done = true
        return
      }
      await send(result.value)
    }
  } finally {
    leave()
    // A source that is waiting can only be told when it comes back.
    if (!done) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
