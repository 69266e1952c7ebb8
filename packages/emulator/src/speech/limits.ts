import type { Clock } from '../core/clock.ts'
import type { SpeechChannel } from './model.ts'

const WINDOW_MS = 60_000

/** An open connection in the state of the control interface. */
export interface OpenSpeech {
  readonly id: number
  readonly channel: SpeechChannel
  readonly openedAt: number
  /** Milliseconds of audio that were received. */
  heardMs: number
  /** Whether a binary KeepAlive stalled it; on live transcription. */
  stalled?: boolean
  /** Whether its Settings are acknowledged; on the agent. */
  settled?: boolean
  /** Characters that were spoken; on the speech stream. */
  characters?: number
}

/** The open connections, and how much of the limit they take. */
export class Connections {
  /** How much a key may take. */
  allowance: number
  readonly #shares = new Map<string, number>()
  readonly #open = new Set<OpenSpeech>()

  constructor(allowance: number) {
    this.allowance = allowance
  }

  /** How much a key takes. */
  taken(key: string): number {
    return this.#shares.get(key) ?? 0
  }

  /** Takes a share for a key, and returns a function that frees it again; `undefined` if not enough is left. */
  take(key: string, weight: number): (() => void) | undefined {
    if (this.taken(key) + weight > this.allowance) return undefined
    this.#shares.set(key, this.taken(key) + weight)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
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

/** Counts the characters of each key over a sliding minute. */
export class CharacterRate {
  readonly #clock: Clock
  readonly #charactersPerMinute: number
  readonly #uses = new Map<string, { at: number; characters: number }[]>()

  constructor(clock: Clock, charactersPerMinute: number) {
    this.#clock = clock
    this.#charactersPerMinute = charactersPerMinute
  }

  /** Returns whether this many more characters may be spoken; if so, counts them. */
  take(key: string, characters: number): boolean {
    const now = this.#clock.now()
    const recent = (this.#uses.get(key) ?? []).filter(({ at }) => at > now - WINDOW_MS)
    this.#uses.set(key, recent)
    const used = recent.reduce((sum, use) => sum + use.characters, 0)
    if (used + characters > this.#charactersPerMinute) return false
    recent.push({ at: now, characters })
    return true
  }

  clear(): void {
    this.#uses.clear()
  }
}
