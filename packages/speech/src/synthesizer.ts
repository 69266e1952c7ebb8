import { OptionsError, SocketError, TimeoutError } from '@concord/runtime'
import type { ConnectionEnd } from '@concord/runtime/internal'

import { speechCode } from './errors.ts'
import { type OtherEvent, type ServerEvent, toEvent } from './events.ts'
import { speechStream } from './gen/channels.gen.ts'
import type { AnyReceived, ChannelOpener, OpenChannel } from './open-channel.ts'
import { checkText, type SynthesisSettings, type TextSource } from './synthesis.ts'
import { SynthesisPacer, type Timing, type UtteranceEnd } from './synthesis-pacer.ts'

const closedByCaller = (): SocketError =>
  new SocketError(
    'socket-closed',
    'speechStream: the synthesizer was closed before everything was spoken.',
    { closeCode: 1000 },
    { operation: 'speechStream' },
  )

/**
 * A connection that speaks one piece of text after another. Iterate over it to read the audio of all pieces. Leaving
 * the loop doesn't close the connection.
 *
 * @example
 * ```ts
 * await using voice = await speech.synthesizer({ ...presets.emulator.synthesis })
 * void voice.speak(sentences(modelReply()))
 * for await (const audio of voice) play(audio)
 * // elsewhere, when the listener starts speaking:
 * await voice.interrupt()
 * ```
 *
 * @public
 */
export class Synthesizer implements AsyncDisposable, AsyncIterable<Uint8Array, undefined> {
  readonly #connection: OpenChannel
  readonly #settings: SynthesisSettings
  readonly #clock: Timing['clock']
  readonly #pacer: SynthesisPacer
  #audio: Uint8Array[] = []
  #audioBytes = 0
  #end: { readonly error?: unknown } | undefined = undefined
  #wakeReader: (() => void) | undefined = undefined
  /** Defined only while `#pump` waits for the reader. */
  #wakePump: (() => void) | undefined = undefined
  #lastActivityMs: number
  #idleTimer: { cancel(): void } | undefined = undefined

  readonly #onAbort = (): void => {
    this.#discardAudio()
    this.fail(this.#settings.signal?.reason)
  }

  /** @internal Use `speech.synthesizer()`. */
  constructor(connection: OpenChannel, settings: SynthesisSettings, timing: Timing) {
    this.#connection = connection
    this.#settings = settings
    this.#clock = timing.clock
    this.#lastActivityMs = timing.clock.monotonic()
    settings.signal?.addEventListener('abort', this.#onAbort)
    this.#pacer = new SynthesisPacer(connection, settings, timing, (error) => this.fail(error))
    void this.#pump()
  }

  /**
   * Speaks text, after all earlier text. Sends each string as one `Speak` message.
   *
   * @param text - A string, or strings as they arrive. Pass the tokens of a language model through `sentences()`.
   * @returns `spoken` once all of the text has been spoken, or `interrupted` after {@link Synthesizer.interrupt}. You
   * can ignore the promise: if an error ends the connection, iterating over the audio throws the error too.
   * @throws OptionsError if `text` is neither a string nor an iterable; any error that the iterable throws;
   * SocketError if the connection ends first.
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
   * Makes the service speak text that it holds back: sends the message in the option `flush`. You can ignore the
   * promise.
   *
   * @throws OptionsError if the options have no `flush` (there is no default, because the documentation doesn't show
   * such a message); SocketError if the connection has ended.
   */
  flush(): Promise<void> {
    return ignorable(this.#flush())
  }

  async #flush(): Promise<void> {
    if (this.#settings.flush === undefined)
      throw new OptionsError(
        'flush',
        "is missing. It has no default, because the documentation doesn't show how to make the service speak text that it holds back.",
        'When you open the synthesizer, set `flush` to a JSON message that has this effect.',
      )
    await this.#pacer.flush()
  }

  /**
   * Immediately drops all unsent text and unread audio, including audio that hasn't arrived yet. You can call `speak`
   * again afterward. With the option `clear`, the client tells the service to stop speaking. Without `clear`, the
   * service continues to speak, and the next piece waits until the service has finished. You can ignore the promise.
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

  /** Closes the connection. Unfinished calls to `speak` reject with a SocketError, and the loop over audio ends. */
  async close(): Promise<void> {
    this.#finish({})
    await this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /**
   * Iterates over the audio, in order.
   *
   * @throws SocketError if the connection ends before you call {@link Synthesizer.close}; TimeoutError if the service
   * stops sending.
   */
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

  /** @internal Speaks the last text. The loop ends after the audio of this text. */
  speakLast(text: TextSource): void {
    this.speak(text).then(
      () => this.finish(),
      (error: unknown) => this.fail(error),
    )
  }

  /** @internal Ends the loop once all audio that has arrived is read. */
  finish(): void {
    this.#finish({})
  }

  /** @internal Ends the loop with an error once all audio that has arrived is read. */
  fail(error: unknown): void {
    this.#finish({ error })
  }

  /** Buffers up to `maxBufferedBytes` of audio for the reader. */
  async #pump(): Promise<void> {
    try {
      for await (const received of this.#connection) {
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

  /** Handles a connection that ended without an error, possibly before everything was spoken. */
  #closed({ closeCode, reason }: ConnectionEnd): void {
    if (this.#settings.spoken === 'close' && this.#pacer.textIsOver) return this.#finish({})
    const what = this.#pacer.busy
      ? 'the service closed the connection before everything was spoken. The audio is incomplete. Send the rest of the text on a new connection.'
      : 'the service closed the connection. All text had been spoken; open another connection to speak more.'
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
    const what = 'the service ended the connection because of its character rate limit (DATA-0001).'
    this.fail(limited ? this.#pacer.rateError(what, error) : error)
  }

  #finish(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#idleTimer?.cancel()
    this.#settings.signal?.removeEventListener('abort', this.#onAbort)
    this.#pacer.stop('error' in end ? end.error : closedByCaller())
    this.#wakeReader?.()
    this.#wakePump?.()
    // Not awaited, because a busy service may be slow to confirm the end of the connection.
    void this.#connection.close()
  }

  /** Ends the synthesizer if the client has waited `idleTimeoutMs` for the service. */
  #watchIdle(): void {
    if (this.#idleTimer !== undefined || !this.#pacer.busy) return
    const { idleTimeoutMs } = this.#settings
    const nowMs = this.#clock.monotonic()
    // While the pump waits for the reader, the client doesn't read from the connection, so it can't tell whether the
    // service is silent.
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
          "doesn't recognize the event at the end of a piece of text, or the service is waiting for a message, which you can pass as `flush`.",
        { limitMs: idleTimeoutMs, elapsedMs: nowMs - sinceMs, sent: 'yes' },
        { operation: 'speechStream' },
      ),
    )
  }
}

/** Marks a promise as handled, so that callers can ignore it. */
function ignorable<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined)
  return promise
}

export async function openSynthesizer(
  sockets: ChannelOpener,
  settings: SynthesisSettings,
  timing: Timing,
): Promise<Synthesizer> {
  return new Synthesizer(await sockets.open(speechStream, undefined, settings.connect), settings, timing)
}

/** Opens a connection, sends text as it arrives, and yields audio as it arrives. */
export async function* synthesisAudio(
  sockets: ChannelOpener,
  source: TextSource,
  settings: SynthesisSettings,
  timing: Timing,
): AsyncGenerator<Uint8Array, void, undefined> {
  const synthesizer = await openSynthesizer(sockets, settings, timing)
  synthesizer.speakLast(source)
  try {
    yield* synthesizer
  } finally {
    synthesizer.finish()
  }
}
