import { type Clock, OptionsError, SocketError, TimeoutError } from '@concord/runtime'
import type { ConnectionEnd, RandomSource } from '@concord/runtime/internal'

import { speechCode } from './codes.ts'
import { type OtherEvent, type ServerEvent, toEvent } from './events.ts'
import type { AnyReceived, OpenChannel } from './open-channel.ts'
import { checkText, type SynthesisSettings, type TextSource } from './synthesis.ts'
import { SynthesisPacer, type UtteranceEnd } from './synthesis-pacer.ts'

/** Rejects what is still under way when the caller closes. */
const closedByCaller = (): SocketError =>
  new SocketError(
    'socket-closed',
    'speechStream: the synthesizer was closed before everything was spoken.',
    { closeCode: 1000 },
    { operation: 'speechStream' },
  )

/**
 * A connection that speaks one piece of text after another. Iterate it to read the audio of all of them; leaving the loop doesn't
 * close it.
 *
 * @example
 * ```ts
 * await using voice = await speech.synthesizer({ ...presets.emulator.synthesis })
 * void voice.speak(sentences(answerOfModel()))
 * for await (const audio of voice) play(audio)
 * // elsewhere, when the listener begins to speak:
 * await voice.interrupt()
 * ```
 *
 * @public
 */
export class Synthesizer implements AsyncDisposable, AsyncIterable<Uint8Array, undefined> {
  readonly #connection: OpenChannel
  readonly #settings: SynthesisSettings
  readonly #clock: Clock
  readonly #pacer: SynthesisPacer
  #audio: Uint8Array[] = []
  #audioBytes = 0
  #end: { readonly error?: unknown } | undefined = undefined
  /** Wakes the reader that waits for audio. */
  #wakeReader: (() => void) | undefined = undefined
  /** Wakes the pump that waits for the reader. */
  #wakePump: (() => void) | undefined = undefined
  #lastActivityMs: number
  #idleTimer: { cancel(): void } | undefined = undefined

  /** The signal ends the connection, too, but a busy service may take its time. */
  readonly #onAbort = (): void => {
    this.#discardAudio()
    this.fail(this.#settings.signal?.reason)
  }

  /** @internal Use `speech.synthesizer()`. */
  constructor(
    connection: OpenChannel,
    settings: SynthesisSettings,
    timing: { readonly clock: Clock; readonly random: RandomSource },
  ) {
    this.#connection = connection
    this.#settings = settings
    this.#clock = timing.clock
    this.#lastActivityMs = timing.clock.monotonic()
    settings.signal?.addEventListener('abort', this.#onAbort)
    this.#pacer = new SynthesisPacer(connection, settings, timing, (error) => this.fail(error))
    void this.#pump()
  }

  /**
   * Speaks text after the text that was passed before, each string as one `Speak` message.
   *
   * @param text A string, or strings as they come; pass the tokens of a language model through `sentences()`.
   * @returns `spoken` once all of them were spoken to their end, `interrupted` after {@link Synthesizer.interrupt}.
   * Ignoring the promise is safe: what ends the connection also reaches the reader.
   * @throws OptionsError for anything else; what the source throws; SocketError when the connection ends before.
   */
  speak(text: TextSource): Promise<UtteranceEnd> {
    return ignorable(this.#speak(text))
  }

  async #speak(text: TextSource): Promise<UtteranceEnd> {
    checkText(text)
    if (this.#end !== undefined) throw this.#end.error ?? closedByCaller()
    const ended = this.#pacer.speak(text)
    this.#watchIdle()
    return ended
  }

  /**
   * Makes the service speak what it holds back, with the `flush` message of the options.
   *
   * @throws OptionsError without one, since no such message is documented; SocketError when the connection is over.
   * Ignoring the promise is safe.
   */
  flush(): Promise<void> {
    return ignorable(this.#flush())
  }

  async #flush(): Promise<void> {
    if (this.#settings.flush === undefined)
      throw new OptionsError(
        'flush',
        'is missing: the documentation shows no message that flushes.',
        'Pass the message as `flush` when you open the synthesizer.',
      )
    await this.#pacer.flush()
  }

  /**
   * Drops everything at once: text that was not sent, and audio that was not read, whether it has arrived or is still to
   * come. Text that is passed afterwards is spoken. With `clear` in the options, the service is asked to stop; without it,
   * the service continues, and the next piece waits for its end. Ignoring the promise is safe.
   */
  interrupt(): Promise<void> {
    return ignorable(this.#interrupt())
  }

  async #interrupt(): Promise<void> {
    this.#discardAudio()
    this.#wakePump?.()
    if (this.#end !== undefined) return
    await this.#pacer.interrupt()
  }

  #discardAudio(): void {
    this.#audio = []
    this.#audioBytes = 0
  }

  /** Closes the connection. Calls of `speak` that are not over reject with a SocketError, and the loop ends. */
  async close(): Promise<void> {
    this.#finish({})
    await this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The audio, in order. @throws SocketError when the connection ends; TimeoutError when the service falls silent. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: async () => {
        for (;;) {
          const audio = this.#audio.shift()
          if (audio !== undefined) {
            this.#audioBytes -= audio.length
            this.#wakePump?.()
            return { done: false, value: audio }
          }
          if (this.#end !== undefined) {
            if ('error' in this.#end) throw this.#end.error
            return { done: true, value: undefined }
          }
          await new Promise<void>((resolve) => {
            this.#wakeReader = resolve
          })
        }
      },
    }
  }

  /** @internal Speaks text after which there is no other, so that the loop ends with its audio. */
  speakLast(text: TextSource): void {
    this.speak(text).then(
      () => this.finish(),
      (error: unknown) => this.fail(error),
    )
  }

  /** @internal Ends the loop once the audio that has arrived was read. */
  finish(): void {
    this.#finish({})
  }

  /** @internal Ends the loop with an error once the audio that has arrived was read. */
  fail(error: unknown): void {
    this.#finish({ error })
  }

  /** Reads the connection without waiting for the reader of the audio, up to `maxBufferedBytes`. */
  async #pump(): Promise<void> {
    try {
      for await (const received of {
        [Symbol.asyncIterator]: () => this.#connection[Symbol.asyncIterator](),
      }) {
        if (this.#end !== undefined) return
        this.#lastActivityMs = this.#clock.monotonic()
        await this.#take(received)
        while (this.#audioBytes > this.#settings.maxBufferedBytes && this.#end === undefined) {
          await new Promise<void>((resolve) => {
            this.#wakePump = resolve
          })
          this.#wakePump = undefined
          this.#lastActivityMs = this.#clock.monotonic()
        }
      }
      this.#closed(await this.#connection.closed)
    } catch (error) {
      this.#failed(error)
    }
  }

  async #take(received: AnyReceived): Promise<void> {
    const { data } = received
    const { spoken, clear, pace, schema, onEvent } = this.#settings
    if (received.message === 'audio') {
      if (!this.#pacer.discarding) this.#push(data as Uint8Array)
      this.#pacer.heard()
      return
    }
    const event = await toEvent(received, schema)
    onEvent?.(event as ServerEvent | OtherEvent)
    if (clear?.cleared(data) === true) this.#pacer.cleared()
    else if (pace.limited(data)) this.#pacer.limited()
    else if (spoken !== 'close') this.#pacer.spoken(Number(spoken(data)))
  }

  #push(audio: Uint8Array): void {
    this.#audio.push(audio)
    this.#audioBytes += audio.length
    this.#wakeReader?.()
  }

  /** The connection ended without an error, but perhaps before everything was spoken. */
  #closed({ closeCode, reason }: ConnectionEnd): void {
    if (this.#settings.spoken === 'close' && this.#pacer.textIsOver) return this.#finish({})
    const what = this.#pacer.busy
      ? 'the service closed the connection before everything was spoken. The audio is incomplete.'
      : 'the service closed the connection. Everything was spoken until then; open another one to speak more.'
    this.fail(
      new SocketError(
        'socket-closed',
        `speechStream: ${what}`,
        { closeCode, reason },
        { operation: 'speechStream' },
      ),
    )
  }

  #failed(error: unknown): void {
    const limited = error instanceof SocketError && speechCode(error) === 'DATA-0001'
    const what = 'the service ended the connection at its character rate limit (DATA-0001).'
    this.fail(limited ? this.#pacer.rateError(what, error) : error)
  }

  /** The one place where it ends. */
  #finish(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#idleTimer?.cancel()
    this.#settings.signal?.removeEventListener('abort', this.#onAbort)
    this.#pacer.stop('error' in end ? end.error : closedByCaller())
    this.#wakeReader?.()
    this.#wakePump?.()
    // Not awaited: a busy service may take its time to confirm.
    void this.#connection.close()
  }

  /** Fails when the service sends nothing for `idleTimeoutMs` while it is expected to. One timer, however busy it is. */
  #watchIdle(): void {
    if (this.#idleTimer !== undefined || !this.#pacer.busy) return
    const { idleTimeoutMs } = this.#settings
    const nowMs = this.#clock.monotonic()
    // A reader that doesn't read holds up the service's events as well.
    const isServicesTurn = this.#pacer.expecting && this.#wakePump === undefined
    const sinceMs = isServicesTurn ? Math.max(this.#lastActivityMs, this.#pacer.lastSentMs) : nowMs
    if (nowMs - sinceMs < idleTimeoutMs) {
      this.#idleTimer = this.#clock.setTimer(
        () => {
          this.#idleTimer = undefined
          this.#watchIdle()
        },
        sinceMs + idleTimeoutMs - nowMs,
      )
      return
    }
    this.fail(
      new TimeoutError(
        `speechStream: the service sent nothing for ${idleTimeoutMs} ms while text was being spoken. Either \`spoken\` ` +
          "doesn't recognize the event that ends a piece, or the service is waiting for a message, which you can pass as `flush`.",
        { limitMs: idleTimeoutMs, elapsedMs: nowMs - sinceMs, sent: 'yes' },
        { operation: 'speechStream' },
      ),
    )
  }
}

/** The same promise, which may be ignored: what ends the connection also reaches the reader. */
function ignorable<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined)
  return promise
}

/**
 * Opens a connection, sends text as it comes, and yields audio as it comes. Leaving the loop or aborting ends all of it
 * at once.
 */
export async function* synthesisAudio(
  open: () => Promise<OpenChannel>,
  source: TextSource,
  settings: SynthesisSettings,
  timing: { readonly clock: Clock; readonly random: RandomSource },
): AsyncGenerator<Uint8Array, void, undefined> {
  const synthesizer = new Synthesizer(await open(), settings, timing)
  synthesizer.speakLast(source)
  try {
    yield* { [Symbol.asyncIterator]: () => synthesizer[Symbol.asyncIterator]() }
  } finally {
    synthesizer.finish()
  }
}
