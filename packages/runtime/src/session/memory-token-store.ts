import { memoryRequestLog } from './request-gate.ts'
import type { HeldTokenStore, StoredSession, TokenStore } from './token-store.ts'

/** Keeps a session in memory, where it ends with the process. @public */
export function memoryTokenStore(): TokenStore {
  return new MemoryTokenStore()
}

class MemoryTokenStore implements TokenStore {
  readonly requestLog = memoryRequestLog()
  #session: StoredSession | undefined
  #last: Promise<unknown> = Promise.resolve()

  async read(): Promise<StoredSession | undefined> {
    return this.#session && structuredClone(this.#session)
  }

  exclusive<T>(work: (held: HeldTokenStore) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = inTurn(this.#last, () => work(this.#held()), signal)
    this.#last = turn.finished
    return turn.result
  }

  #held(): HeldTokenStore {
    return {
      read: () => this.read(),
      write: async (session) => {
        this.#session = structuredClone(session)
      },
      remove: async () => {
        this.#session = undefined
      },
    }
  }

  toJSON(): Record<string, unknown> {
    return { store: 'memory', holdsSession: this.#session !== undefined }
  }
}

/** Starts work once `before` has settled. An abort before that cancels it. */
export function inTurn<T>(
  before: Promise<unknown>,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): { readonly result: Promise<T>; readonly finished: Promise<void> } {
  let begun = false
  const done = before.then(async () => {
    signal?.throwIfAborted()
    begun = true
    return work()
  })
  const finished = done.then(
    () => undefined,
    () => undefined,
  )
  if (signal === undefined) return { result: done, finished }
  const result = new Promise<T>((resolve, reject) => {
    const onAbort = (): void => {
      if (!begun) reject(signal.reason as Error)
    }
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    done.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
  return { result, finished }
}
