import { type Clock, type RandomSource, type SocketError, wait } from '@concord/runtime'

import { CharacterRateError } from './errors.ts'
import type { OpenChannel } from './open-channel.ts'
import type { SynthesisSettings, TextSource } from './synthesis.ts'

/** A text that was sent. */
interface Spoken {
  readonly text: string
  tries: number
  /** Whether it waits to be sent. */
  waits: boolean
  /** Whether audio came since it was sent. */
  heard: boolean
}

/**
 * Sends texts in their order, at most `ahead` of them before the first was spoken to its end, and slower after the
 * service said that it was too fast.
 */
export class SynthesisPacer {
  readonly #connection: OpenChannel
  readonly #settings: SynthesisSettings
  readonly #clock: Clock
  readonly #random: RandomSource
  readonly #stop = new AbortController()
  /** Sent, and not yet spoken to the end. */
  readonly #unspoken: Spoken[] = []
  #limits = 0
  /** Nothing is sent before. */
  #restUntilMs = 0
  #textIsOver = false
  #wake: (() => void) | undefined = undefined
  readonly #done = Promise.withResolvers<void>()

  constructor(
    connection: OpenChannel,
    settings: SynthesisSettings,
    timing: { readonly clock: Clock; readonly random: RandomSource },
  ) {
    this.#connection = connection
    this.#settings = settings
    this.#clock = timing.clock
    this.#random = timing.random
  }

  /** Settles when everything was spoken; rejected when the source fails, or a text cannot be sent. */
  get done(): Promise<void> {
    return this.#done.promise
  }

  get textIsOver(): boolean {
    return this.#textIsOver
  }

  get unspoken(): readonly string[] {
    return this.#unspoken.map(({ text }) => text)
  }

  /** Sends all that comes out of a source. */
  async run(source: TextSource): Promise<void> {
    try {
      for await (const text of typeof source === 'string' ? [source] : source) {
        if (this.#stop.signal.aborted) return
        // An empty text is an error to the service, and means nothing.
        if (text === '') continue
        await this.#room()
        const spoken = { text, tries: 0, waits: false, heard: false }
        this.#unspoken.push(spoken)
        await this.#send(spoken)
      }
      this.#textIsOver = true
      const { afterText } = this.#settings
      if (afterText !== undefined) await this.#connection.sendText(JSON.stringify(afterText))
      this.#settle()
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#done.reject(error)
    }
  }

  /** Audio came. */
  heard(): void {
    const [first] = this.#unspoken
    if (first !== undefined) first.heard = true
  }

  /** So many texts were spoken to their end. */
  spoken(count: number): void {
    if (count <= 0) return
    this.#unspoken.splice(0, count)
    this.#limits = 0
    this.#wake?.()
    this.#settle()
  }

  /** The service said that the character rate limit is reached: slow down instead of retrying at once. */
  limited(): void {
    const { baseMs, capMs, attempts } = this.#settings.pace
    const [first, second] = this.#unspoken
    const most = Math.min(capMs, baseMs * 2 ** this.#limits)
    this.#limits += 1
    this.#restUntilMs = this.#clock.monotonic() + most / 2 + this.#random() * (most / 2)
    // Where audio of it came already, it was taken; only what follows has to wait. One that waits already was not yet
    // heard of again: it would be spoken twice.
    if (first === undefined || first.heard || first.waits) return
    if (second === undefined && this.#settings.spoken !== 'close' && first.tries < attempts) {
      this.#send(first).catch((error: unknown) => this.#done.reject(error))
      return
    }
    const several = second === undefined ? `after ${first.tries} tries` : 'with several texts under way'
    this.#done.reject(this.rateError(`The character rate limit was reached (DATA-0001) ${several}.`))
  }

  /** The error for a limit that ends the synthesis. */
  rateError(what: string, error?: SocketError): CharacterRateError {
    return new CharacterRateError(
      `speechStream: ${what} Send less text in the same time; \`unspoken\` has what is left.`,
      { closeCode: error?.closeCode, reason: error?.reason ?? '', unspoken: this.unspoken },
      { operation: 'speechStream', ...(error === undefined ? undefined : { cause: error }) },
    )
  }

  stop(): void {
    this.#stop.abort()
    this.#wake?.()
  }

  get #restMs(): number {
    return this.#restUntilMs - this.#clock.monotonic()
  }

  async #send(spoken: Spoken): Promise<void> {
    spoken.tries += 1
    spoken.waits = true
    for (let restMs = this.#restMs; restMs > 0; restMs = this.#restMs)
      await wait(this.#clock, restMs, [this.#stop.signal])
    spoken.waits = false
    spoken.heard = false
    await this.#connection.send('speak', { ...this.#settings.fields, text: spoken.text })
  }

  /** Waits until one more text may be under way. */
  async #room(): Promise<void> {
    while (this.#unspoken.length >= this.#settings.pace.ahead && !this.#stop.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    this.#stop.signal.throwIfAborted()
  }

  #settle(): void {
    if (this.#textIsOver && this.#unspoken.length === 0 && this.#settings.spoken !== 'close')
      this.#done.resolve()
  }
}
