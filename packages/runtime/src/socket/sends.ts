import type { ChannelDescriptor } from '../core/channel.ts'
import { checkSource } from './messages.ts'

/** How long `await` and `Promise.all` may take to attach their handlers, in turns of the microtask queue. */
const TURNS = 10

/** A promise that notes whether anyone has attached a handler. */
class Watched extends Promise<void> {
  // `then` returns an ordinary promise.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  isObserved = false

  override then<A = void, B = never>(
    onFulfilled?: ((value: void) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isObserved = true
    return super.then(onFulfilled, onRejected)
  }

  /** Marks it as handled for the host. */
  silence(): void {
    void super.then(undefined, () => undefined)
  }
}

/**
 * The same outcome as that of `work`, which may be ignored: instead of an unhandled rejection, `onIgnored` is called
 * when it fails and no one has attached a handler by then.
 */
export function watched(work: Promise<void>, onIgnored: (error: unknown) => void): Promise<void> {
  let fail: (error: unknown) => void = () => undefined
  const promise = new Watched((resolve, reject) => {
    fail = reject
    work.then(resolve, (error: unknown) => void settle(error))
  })
  async function settle(error: unknown): Promise<void> {
    promise.silence()
    fail(error)
    for (let turn = 0; turn < TURNS && !promise.isObserved; turn++) await undefined
    if (!promise.isObserved) onIgnored(error)
  }
  return promise
}

/**
 * Sends every chunk of a source. A source that is silent for hours must not keep the caller from learning that the
 * connection is over, so each wait for a chunk ends with the connection, too.
 *
 * @param over Aborted when the connection takes nothing more.
 */
export async function sendAll(
  channel: ChannelDescriptor,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  send: (chunk: Uint8Array) => Promise<void>,
  over: AbortSignal,
): Promise<void> {
  checkSource(channel, source)
  const iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  let giveUp: ((error: unknown) => void) | undefined
  const onOver = (): void => giveUp?.(over.reason)
  over.addEventListener('abort', onOver)
  let isDone = false
  try {
    for (;;) {
      over.throwIfAborted()
      const result = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        giveUp = reject
        Promise.resolve(iterator.next()).then(resolve, (error: unknown) => {
          isDone = true
          reject(error as Error)
        })
      })
      if (result.done === true) {
        isDone = true
        return
      }
      await send(result.value)
    }
  } finally {
    over.removeEventListener('abort', onOver)
    // A source that is waiting for its own input finds out only through `return()`, so it isn't awaited.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
