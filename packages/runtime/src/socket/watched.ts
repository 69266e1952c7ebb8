/** How long `await` and `Promise.all` may take to attach their handlers, in turns of the microtask queue. */
const TURNS = 10

/** A promise that notes whether anyone has attached a handler. */
class Watched extends Promise<void> {
  // What `then` returns is an ordinary promise.
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
  // Marks it as handled for the host.
  promise.catch(() => undefined)
  promise.isObserved = false
  async function settle(error: unknown): Promise<void> {
    fail(error)
    for (let turn = 0; turn < TURNS && !promise.isObserved; turn++) await undefined
    if (!promise.isObserved) onIgnored(error)
  }
  return promise
}
