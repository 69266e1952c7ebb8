import { functionOption, OptionsError, Semaphore } from '@concord/runtime'

/** A WebSocket that is about to be opened. @public */
export interface Opening {
  readonly channel: 'liveTranscription' | 'conversation' | 'speechStream' | 'agent'
  /** The query of its URL. */
  readonly query: Readonly<Record<string, unknown>>
}

/** Says how much of the connection limit an opening takes. @public */
export type WeighOpening = (opening: Opening) => number

/** How much of the connection limit each connection takes. */
export class Openings {
  readonly semaphore: Semaphore | undefined
  readonly #weigh: WeighOpening

  /** @throws OptionsError when the limit is neither a number above 0 nor a Semaphore. */
  constructor(limit: number | Semaphore | undefined, weigh: WeighOpening | undefined) {
    this.semaphore = toSemaphore(limit)
    this.#weigh = functionOption(weigh, 'weigh') ?? (() => 1)
  }

  /** What a connection takes; nothing where there is no limit. */
  share(opening: Opening): { readonly semaphore: Semaphore; readonly weight: number } | undefined {
    if (this.semaphore === undefined) return undefined
    return { semaphore: this.semaphore, weight: this.#weigh(opening) }
  }
}

function toSemaphore(limit: number | Semaphore | undefined): Semaphore | undefined {
  if (limit === undefined || limit instanceof Semaphore) return limit
  if (typeof limit === 'number' && limit > 0 && Number.isFinite(limit)) return new Semaphore(limit)
  throw new OptionsError(
    'connectionLimit',
    'is neither a number above 0 nor a Semaphore.',
    'Give one of them, or leave it out for no limit.',
  )
}
