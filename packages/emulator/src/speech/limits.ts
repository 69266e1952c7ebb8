import type { SpeechChannel } from './model.ts'

/** An open connection, as the control interface returns it. */
export interface OpenSpeech {
  readonly id: number
  readonly channel: SpeechChannel
  readonly openedAt: number
  /** How much audio was received, in milliseconds. */
  heardMs: number
  /** Live transcription: whether the connection is stalled by a binary KeepAlive. */
  stalled?: boolean
  /** Agent: whether the Settings were acknowledged. */
  settled?: boolean
  /** Speech stream: how many characters were spoken. */
  characters?: number
}

/** The open connections, and how much of the connection limit each key uses. */
export class Connections {
  /** The connection limit of each key. */
  allowance: number
  readonly #shares = new Map<string, number>()
  readonly #open = new Set<OpenSpeech>()

  constructor(allowance: number) {
    this.allowance = allowance
  }

  taken(key: string): number {
    return this.#shares.get(key) ?? 0
  }

  /**
   * Takes a share of a key's limit. Returns a function that releases the share, or `undefined` if too little of the
   * limit is left.
   */
  take(key: string, weight: number): (() => void) | undefined {
    if (this.taken(key) + weight > this.allowance) return undefined
    this.#shares.set(key, this.taken(key) + weight)
    return () => {
      const left = this.taken(key) - weight
      if (left > 0) this.#shares.set(key, left)
      else this.#shares.delete(key)
    }
  }

  opened(connection: OpenSpeech): void {
    this.#open.add(connection)
  }

  closed(connection: OpenSpeech): void {
    this.#open.delete(connection)
  }

  all(): OpenSpeech[] {
    return [...this.#open]
  }
}
