import type { Client, SocketError } from '@concord/runtime'
import { wait } from '@concord/runtime/internal'

import { CharacterRateError } from './socket-errors.ts'
import type { OpenChannel } from './open-channel.ts'
import type { SynthesisSettings, TextSource } from './synthesis.ts'

/** How the text of one call of `speak` ended. @public */
export type UtteranceEnd = 'spoken' | 'interrupted'

export type Timing = Pick<Client, 'clock' | 'random'>

/** The text of one call of `speak`: everything that its source yields. */
interface Utterance {
  sourceIsOpen: boolean
  /** The number of the utterance's pieces that are in flight (see {@link SentText}). */
  unspokenTexts: number
  readonly end: PromiseWithResolvers<UtteranceEnd>
  interrupted: boolean
}

/** A piece of text that is in flight: sent or waiting to be sent, but not completely spoken. */
interface SentText {
  readonly text: string
  readonly utterance: Utterance
  attempts: number
  /** Whether the piece is waiting to be sent. */
  waiting: boolean
  /** Whether any of the piece's audio has arrived since the piece was last sent. */
  heard: boolean
}

/**
 * Sends pieces of text in order. At most `ahead` pieces are in flight at a time. After the service has reported its
 * character rate limit, pieces are sent more slowly.
 */
export class SynthesisPacer {
  readonly #connection: OpenChannel
  readonly #settings: SynthesisSettings
  readonly #clock: Timing['clock']
  readonly #random: Timing['random']
  readonly #stop = new AbortController()
  /** Pieces that are in flight, in order. */
  readonly #unspoken: SentText[] = []
  /** Sent pieces of interrupted utterances. Their audio is discarded, but their end events are still expected. */
  readonly #dropped: SentText[] = []
  /** The piece that was taken from its source, but must wait for earlier pieces before it can be in flight. */
  #held: Pick<SentText, 'text' | 'utterance'> | undefined = undefined
  /** Whether the service has yet to confirm a `clear` message, which tells it to drop unspoken text. */
  #isClearing = false
  readonly #utterances = new Set<Utterance>()
  #turn: Promise<void> = Promise.resolve()
  #limits = 0
  /** No piece is sent before this time. */
  #restUntilMs = 0
  #lastSentMs = 0
  #wake: (() => void) | undefined = undefined
  readonly #onFailure: (error: unknown) => void

  /** @param onFailure - Called with an error that ends the synthesis. */
  constructor(
    connection: OpenChannel,
    settings: SynthesisSettings,
    timing: Timing,
    onFailure: (error: unknown) => void,
  ) {
    this.#connection = connection
    this.#settings = settings
    this.#clock = timing.clock
    this.#random = timing.random
    this.#onFailure = onFailure
  }

  /**
   * Whether the service is expected to act: to send audio or an end event, to confirm a `clear` message, or (with
   * `spoken: 'close'`) to close the connection.
   */
  get expecting(): boolean {
    if (this.#settings.spoken === 'close') return this.textIsOver
    return this.#unspoken.length + this.#dropped.length > 0 || this.#isClearing
  }

  /** Whether some utterance hasn't ended, or the service hasn't finished an interrupted utterance. */
  get busy(): boolean {
    return this.#utterances.size > 0 || this.discarding
  }

  /** The idle timeout starts no earlier than this monotonic time, so a wait after a rate limit doesn't count. */
  get lastSentMs(): number {
    return Math.max(this.#lastSentMs, this.#restUntilMs)
  }

  /** Whether arriving audio belongs to an interrupted utterance. */
  get discarding(): boolean {
    return this.#dropped.length > 0 || this.#isClearing
  }

  /** Whether every source has ended. */
  get textIsOver(): boolean {
    return [...this.#utterances].every(({ sourceIsOpen }) => !sourceIsOpen)
  }

  /** The pieces that were taken from a source, but not completely spoken, in order. */
  get unspoken(): readonly string[] {
    const texts = this.#unspoken.map(({ text }) => text)
    const { text, utterance } = this.#held ?? {}
    return text === undefined || utterance?.interrupted ? texts : [...texts, text]
  }

  /**
   * Sends a source's pieces, after the pieces of earlier sources. Resolves when this source's pieces are spoken or
   * interrupted.
   */
  speak(source: TextSource): Promise<UtteranceEnd> {
    const end = Promise.withResolvers<UtteranceEnd>()
    const utterance: Utterance = { sourceIsOpen: true, unspokenTexts: 0, end, interrupted: false }
    this.#utterances.add(utterance)
    this.#turn = this.#takeTurn(this.#turn, source, utterance)
    return end.promise
  }

  async flush(): Promise<void> {
    const { flush } = this.#settings
    if (flush !== undefined) await this.#connection.sendText(JSON.stringify(flush))
  }

  /** Ends all utterances. If the option `clear` is set, also tells the service to drop unspoken text. */
  async interrupt(): Promise<void> {
    for (const utterance of this.#utterances) {
      utterance.interrupted = true
      utterance.end.resolve('interrupted')
    }
    this.#utterances.clear()
    const sent = this.#unspoken.splice(0).filter(({ waiting }) => !waiting)
    this.#wake?.()
    const { clear } = this.#settings
    if (sent.length === 0) return
    if (clear === undefined) {
      this.#dropped.push(...sent)
      return
    }
    this.#isClearing = true
    this.#lastSentMs = this.#clock.monotonic()
    await this.#connection.sendText(JSON.stringify(clear.message))
  }

  /** Records that the service confirmed a `clear` message. Audio that arrives later belongs to new pieces. */
  cleared(): void {
    this.#isClearing = false
    this.#wake?.()
  }

  heard(): void {
    const first = this.#dropped[0] ?? this.#unspoken[0]
    if (first !== undefined) first.heard = true
  }

  /** Records that pieces were completely spoken. */
  spoken(count: number): void {
    if (!(count > 0)) return
    const dropped = this.#dropped.splice(0, count).length
    for (const { utterance } of this.#unspoken.splice(0, count - dropped)) {
      utterance.unspokenTexts -= 1
      this.#settle(utterance)
    }
    this.#limits = 0
    this.#wake?.()
  }

  /** Called when the service reports its character rate limit. */
  limited(): void {
    const { baseMs, capMs, attempts } = this.#settings.pace
    const maxMs = Math.min(capMs, baseMs * 2 ** this.#limits)
    this.#limits += 1
    this.#restUntilMs = this.#clock.monotonic() + maxMs / 2 + this.#random() * (maxMs / 2)
    if (this.#dropped[0]?.heard === false) {
      this.#dropped.shift()
      this.#wake?.()
      return
    }
    const [first, second] = this.#unspoken
    // If the first piece's audio has started, the service has accepted this piece, so it isn't resent. If the piece
    // is waiting to be sent, resending it would send it twice.
    if (first === undefined || first.heard || first.waiting) return
    if (second === undefined && this.#settings.spoken !== 'close' && first.attempts < attempts) {
      this.#send(first).catch(this.#onFailure)
      return
    }
    this.#onFailure(
      this.rateError(
        `the character rate limit was reached (DATA-0001). ${this.#whyNotAgain(first, second)}.`,
      ),
    )
  }

  #whyNotAgain(first: SentText, second: SentText | undefined): string {
    if (second !== undefined)
      return "Several pieces are in flight, so the client doesn't know which piece to resend"
    if (this.#settings.spoken === 'close')
      return "Because `spoken` is 'close', the client doesn't resend text"
    return `The client made ${first.attempts === 1 ? '1 attempt' : `${first.attempts} attempts`} to send the text`
  }

  rateError(what: string, error?: SocketError): CharacterRateError {
    return new CharacterRateError(
      `speechStream: ${what} Send text more slowly. This error's \`unspoken\` lists the pieces that were not completely spoken.`,
      { closeCode: error?.closeCode, reason: error?.reason ?? '', unspoken: this.unspoken },
      { operation: 'speechStream', cause: error },
    )
  }

  stop(error: unknown): void {
    this.#stop.abort(error)
    this.#wake?.()
    for (const { end } of this.#utterances) end.reject(error)
  }

  async #takeTurn(previous: Promise<void>, source: TextSource, utterance: Utterance): Promise<void> {
    await previous
    try {
      await this.#sendAll(source, utterance)
      utterance.sourceIsOpen = false
      this.#lastSentMs = this.#clock.monotonic()
      this.#settle(utterance)
    } catch (error) {
      this.#utterances.delete(utterance)
      utterance.end.reject(error)
    }
  }

  async #sendAll(source: TextSource, utterance: Utterance): Promise<void> {
    const texts = iterate(source)
    const stopped = Promise.withResolvers<undefined>()
    const onEnd = (): void => stopped.resolve(undefined)
    utterance.end.promise.then(onEnd, onEnd)
    try {
      for (;;) {
        // A source may take a long time, and an interruption must not wait for the source.
        const next = await Promise.race([texts.next(), stopped.promise])
        if (next === undefined || next.done === true) break
        // The service rejects empty text.
        if (next.value === '') continue
        this.#held = { text: next.value, utterance }
        await this.#room(utterance)
        if (utterance.interrupted || this.#stop.signal.aborted) break
        this.#held = undefined
        const text = { text: next.value, utterance, attempts: 0, waiting: false, heard: false }
        utterance.unspokenTexts += 1
        this.#unspoken.push(text)
        await this.#send(text)
      }
    } finally {
      // `return` isn't awaited, because a source that is waiting for its next string would delay all later text.
      if (utterance.interrupted || this.#stop.signal.aborted)
        Promise.resolve(texts.return?.()).catch(() => undefined)
    }
    const { afterText } = this.#settings
    if (afterText !== undefined && !utterance.interrupted && !this.#stop.signal.aborted)
      await this.#connection.sendText(JSON.stringify(afterText))
  }

  async #send(text: SentText): Promise<void> {
    text.attempts += 1
    text.waiting = true
    for (let restMs = this.#restMs; restMs > 0; restMs = this.#restMs)
      await wait(this.#clock, restMs, [this.#stop.signal])
    if (text.utterance.interrupted) return
    text.waiting = false
    text.heard = false
    this.#lastSentMs = this.#clock.monotonic()
    await this.#connection.send('speak', { ...this.#settings.fields, text: text.text })
    await this.flush()
  }

  get #restMs(): number {
    return this.#restUntilMs - this.#clock.monotonic()
  }

  /** Waits until the pacer is allowed to send another piece. */
  async #room(utterance: Utterance): Promise<void> {
    while (!utterance.interrupted && !this.#stop.signal.aborted) {
      const underWay = this.#unspoken.length + this.#dropped.length
      if (underWay < this.#settings.pace.ahead && !this.#isClearing) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
  }

  #settle(utterance: Utterance): void {
    if (utterance.sourceIsOpen || utterance.unspokenTexts > 0 || this.#settings.spoken === 'close') return
    this.#utterances.delete(utterance)
    utterance.end.resolve('spoken')
  }
}

function iterate(source: TextSource): AsyncIterator<string> | Iterator<string> {
  if (typeof source === 'string') return [source].values()
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
}
