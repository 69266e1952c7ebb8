import type { SpeechChannel } from './model.ts'

/** An open connection, as the control interface returns it. */
export interface OpenSpeech {
  readonly id: number
  readonly channel: SpeechChannel
  readonly openedAt: number
  /** How much audio was received, in milliseconds. */
  heardMs: number
  /** On `liveTranscription`: whether a KeepAlive in a binary frame has stalled the connection. */
  stalled?: boolean
  /** On `agent`: whether the emulator has acknowledged the Settings. */
  settled?: boolean
  /** On `speechStream`: how many characters were spoken. */
  characters?: number
}

/** The open connections, and how much of the connection limit each key uses. */
export class Connections {
  /** The connection limit, which is the same for every key. */
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
   * Takes a share of a key's limit. Returns a function that releases the share, or `undefined` if the key would
   * exceed its limit.
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
