import { isPromise } from '../core/is-promise.ts'
import { Inbox } from './inbox.ts'
import type { Sized } from './inbox.ts'

interface Waiter<Item> {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void
  readonly reject: (error: unknown) => void
}

const DONE: IteratorResult<never, undefined> = { done: true, value: undefined }

/** The receiving side: who waits for a message, and messages that nobody waits for yet. */
export class Reader<Entry extends Sized, Item> implements AsyncIterator<Item, undefined> {
  readonly inbox = new Inbox<Entry>()
  readonly #take: (entry: Entry) => Item | Promise<Item>
  readonly #onTaken: () => void
  #waiters: Waiter<Item>[] = []
  #end: { error: unknown; told: boolean } | undefined = undefined

  constructor(take: (entry: Entry) => Item | Promise<Item>, onTaken: () => void) {
    this.#take = take
    this.#onTaken = onTaken
  }

  push(entry: Entry): void {
    if (this.#end !== undefined) return
    const waiter = this.#waiters.shift()
    if (waiter === undefined) this.inbox.push(entry)
    else this.#give(entry, waiter)
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    const entry = this.inbox.shift()
    if (entry !== undefined) {
      this.#onTaken()
      return new Promise((resolve, reject) => this.#give(entry, { resolve, reject }))
    }
    const end = this.#end
    if (end === undefined) return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
    if (end.told) return Promise.resolve(DONE)
    // An error is told once; who asks again learns that there is nothing more.
    end.told = true
    return Promise.reject(end.error as Error)
  }

  #give(entry: Entry, { resolve, reject }: Waiter<Item>): void {
    try {
      const item = this.#take(entry)
      if (isPromise(item)) item.then((value) => resolve({ done: false, value }), reject)
      else resolve({ done: false, value: item })
    } catch (error) {
      reject(error)
    }
  }

  /** Nothing more comes. What is there can still be taken, unless it is dropped. */
  end(failure: { readonly error: unknown } | undefined): void {
    if (this.#end !== undefined) return
    this.#end = { error: failure?.error, told: failure === undefined }
    const waiters = this.#waiters
    this.#waiters = []
    for (const { resolve, reject } of waiters) this.next().then(resolve, reject)
  }
}
