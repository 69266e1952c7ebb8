import type { ChannelDescriptor } from '../core/channel.ts'
import { checkSource } from './outgoing.ts'

/** Calls back when a connection ends. */
export class Endings {
  readonly #callbacks = new Set<(error: unknown) => void>()
  #ended: { readonly error: unknown } | undefined = undefined

  /** Calls back at the end, at once if it is over. Returns a function that takes the callback back. */
  onEnd(callback: (error: unknown) => void): () => void {
    if (this.#ended !== undefined) callback(this.#ended.error)
    else this.#callbacks.add(callback)
    return () => void this.#callbacks.delete(callback)
  }

  end(error: unknown): void {
    if (this.#ended !== undefined) return
    this.#ended = { error }
    for (const callback of this.#callbacks) callback(error)
    this.#callbacks.clear()
  }
}

/**
 * Sends every chunk of a source. A source that is silent for hours must not keep the caller from learning that the
 * connection is over, so each wait for a chunk ends with the connection, too.
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
    // A source that is waiting for its own input learns of it only then.
    if (!done) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
