import type { ChannelDescriptor } from '../core/channel.ts'
import type { Timer } from '../core/clock.ts'
import type { SocketError, Unsent } from '../core/errors.ts'
import type { SocketEvent } from '../core/events.ts'
import { isPromise } from '../core/is-promise.ts'
import type { ClientCore } from '../http/core.ts'
import { emit } from '../http/drift.ts'
import type { Lease } from '../limit/semaphore.ts'
import { checkClose } from './close-options.ts'
import type {
  CloseOptions,
  Connection,
  ConnectionEnd,
  ConnectionState,
  SocketRequestOptions,
} from './connection.ts'
import { closedError, closingError, codeOf, unreadError } from './connection-errors.ts'
import { Configuration } from './configuration.ts'
import { dial } from './dial.ts'
import { Epochs } from './epochs.ts'
import { type Entry, Incoming } from './incoming.ts'
import { Intake } from './intake.ts'
import { KeepAlive } from './keep-alive.ts'
import type { Link, LinkEnd, LinkOwner } from './link.ts'
import { Outbox } from './outbox.ts'
import { checkBytes, checkText, toFrame } from './outgoing.ts'
import type { ChannelPlan } from './plan.ts'
import type { Received, ReceivedMessage } from './received.ts'
import { Silence } from './silence.ts'
import { Redialer } from './redial.ts'
import { requestSettings } from './request-settings.ts'
import { Requests } from './requests.ts'
import { Endings, sendAll } from './send-from.ts'
import type { ConnectionSettings } from './settings.ts'

type AnyReceived = Received<ChannelDescriptor>

/**
 * A connection: a link to the server (a new one after each loss), an outbox, a reader, and what turns between them.
 * It is `open`, then perhaps `reconnecting` and `open` again, at last `closing` and `closed`.
 */
export class SocketConnection implements Connection<ChannelDescriptor>, LinkOwner {
  readonly #core: ClientCore
  readonly #plan: ChannelPlan
  readonly #settings: ConnectionSettings
  readonly #lease: Lease | undefined
  readonly #outbox: Outbox
  readonly #incoming: Incoming
  readonly #intake: Intake<Entry, AnyReceived>
  readonly #requests: Requests
  readonly #keepAlive: KeepAlive | undefined
  readonly #redialer: Redialer | undefined
  readonly #epochs: Epochs
  readonly #configuration: Configuration
  readonly #ended = Promise.withResolvers<ConnectionEnd>()
  /** Ends attempts to connect again. */
  readonly #stop = new AbortController()
  readonly #endings = new Endings()
  readonly #silence: Silence
  #state: ConnectionState = 'open'
  #link: Link
  #closeTimer: Timer | undefined = undefined
  /** What it ended with, where that was not the server. */
  #failure: { readonly error: unknown } | undefined = undefined

  constructor(
    core: ClientCore,
    plan: ChannelPlan,
    settings: ConnectionSettings,
    link: Link,
    lease: Lease | undefined,
  ) {
    const { channel } = plan
    const { clock } = core
    this.#core = core
    this.#plan = plan
    this.#settings = settings
    this.#lease = lease
    this.#link = link
    this.#epochs = new Epochs(clock)
    this.#silence = new Silence(clock)
    this.#endings.onEnd(() => this.#silence.stop())
    this.#outbox = new Outbox(clock, channel.id, settings.sending)
    this.#incoming = new Incoming(core, plan, settings)
    this.#intake = new Intake(settings.receiving, (entry) => this.#incoming.take(entry))
    this.#requests = new Requests(clock, channel.id)
    const { keepAlive } = channel.rules
    this.#keepAlive = keepAlive && new KeepAlive(keepAlive, clock, this.#outbox)
    this.#configuration = new Configuration(channel.rules, settings.reconnect !== undefined)
    this.#redialer = settings.reconnect && new Redialer(core, channel.id, settings.reconnect)
    for (const signal of settings.signals) signal.addEventListener('abort', this.#onAbort)
    this.#attach(link)
    link.own(this)
    // One may have come while the handshake was being finished.
    for (const signal of settings.signals) if (signal.aborted) this.#abort(signal.reason)
  }

  get state(): ConnectionState {
    return this.#state
  }

  get closed(): Promise<ConnectionEnd> {
    return this.#ended.promise
  }

  get bufferedBytes(): number {
    return this.#outbox.bufferedBytes
  }

  send(message: string, payload: unknown): Promise<void> {
    try {
      const frame = toFrame(this.#plan, message, payload)
      if (isPromise(frame)) return frame.then((settled) => this.#sendFrame(message, settled))
      return this.#sendFrame(message, frame)
    } catch (error) {
      return Promise.reject(error as Error)
    }
  }

  sendBinary(bytes: Uint8Array): Promise<void> {
    try {
      checkBytes(this.#plan.channel, bytes)
    } catch (error) {
      return Promise.reject(error as Error)
    }
    // An empty frame says nothing, and ends the connection at some services.
    if (bytes.length === 0) return Promise.resolve()
    return this.#outbox.send(bytes)
  }

  sendFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const send = (chunk: Uint8Array): Promise<void> => this.sendBinary(chunk)
    return this.#endings.told(sendAll(this.#plan.channel, source, send, this.#endings))
  }

  async sendText(text: string): Promise<void> {
    checkText(this.#plan.channel, text)
    return this.#outbox.send(text)
  }

  async request(
    message: string,
    payload: unknown,
    options: SocketRequestOptions = {},
  ): Promise<ReceivedMessage<ChannelDescriptor>> {
    const settings = requestSettings(options)
    const { replies } = this.#plan.channel
    const frame = await toFrame(this.#plan, message, payload)
    const entry = await this.#requests.perform(
      message,
      replies[message],
      (onWritten) =>
        this.#outbox.send(frame, () => {
          this.#configuration.noteSent(message)
          onWritten()
        }),
      settings,
    )
    // What was refused must not be asked for again on a new connection.
    if (entry.plan?.key === replies[message]?.[0]) this.#configuration.noteApplied(message, frame)
    return (await this.#incoming.take(entry)) as ReceivedMessage<ChannelDescriptor>
  }

  #sendFrame(message: string, frame: string | Uint8Array): Promise<void> {
    if (typeof frame !== 'string') return this.sendBinary(frame)
    return this.#outbox.send(frame, () => {
      this.#noteSent(message)
      this.#configuration.noteApplied(message, frame)
    })
  }

  /** One went out whose answer, where it has one, nobody waits for. */
  #noteSent(message: string): void {
    this.#configuration.noteSent(message)
    this.#requests.noteSent(this.#plan.channel.replies[message])
  }

  [Symbol.asyncIterator](): AsyncIterator<AnyReceived, undefined> {
    return { next: () => this.#intake.reader.next() }
  }

  onMessage(data: string | Uint8Array): void {
    this.#silence.note()
    const entry = this.#incoming.decode(data, this.#epochs.base)
    if (!this.#outbox.gateOpen && this.#configuration.gateSent) {
      try {
        if (this.#settings.acknowledged?.(this.#incoming.peek(entry)) === true) this.#outbox.openGate()
      } catch (error) {
        return this.#fail(error)
      }
    }
    if (this.#requests.answer(entry) || !this.#intake.push(entry)) return
    const { count, bytes } = this.#intake.reader.inbox
    this.#fail(unreadError(this.#plan.channel.id, count, bytes))
  }

  onFlushed(): void {
    this.#outbox.onFlushed()
  }

  #attach(link: Link): void {
    this.#link = link
    this.#configuration.gateSent = false
    this.#outbox.attach(link, !this.#configuration.hasGate)
    this.#intake.attach(link)
    this.#keepAlive?.start()
  }

  onClosed(end: LinkEnd): void {
    this.#keepAlive?.stop()
    if (this.#state !== 'open') return this.#finish(end)
    const clean = end.closeCode === 1000 || end.closeCode === 1005
    const error = clean ? undefined : this.#closedError(end)
    this.#requests.lose(error ?? this.#closedError(end))
    const wanted = this.#redialer?.wants(end, (thrown) => (this.#failure ??= { error: thrown }))
    if (this.#redialer === undefined || wanted !== true) {
      if (error !== undefined) this.#failure ??= { error }
      return this.#finish(end)
    }
    this.#state = 'reconnecting'
    this.#emit({ state: 'reconnecting', closeCode: end.closeCode })
    void this.#reconnect(end, this.#redialer)
  }

  async #reconnect(end: LinkEnd, redialer: Redialer): Promise<void> {
    const { clock } = this.#core
    const lostMs = clock.monotonic()
    const refuse = this.#settings.reconnect?.sends === 'fail' ? this.#closedError(end) : undefined
    const unsent = this.#outbox.detach(refuse)
    const signals = [this.#stop.signal, ...this.#settings.signals]
    try {
      const dialOnce = (): Promise<Link> => dial(this.#core, this.#plan, this.#settings, signals)
      const { link, attempts } = await redialer.redial(end, this.#epochs.openedMs, dialOnce, signals)
      if (this.#state !== 'reconnecting') return link.terminate()
      this.#reopen(link, end, { gapMs: clock.monotonic() - lostMs, attempts, unsent })
    } catch (error) {
      if (this.#state !== 'reconnecting') return
      this.#failure ??= { error }
      this.#finish(end)
    }
  }

  #reopen(
    link: Link,
    end: LinkEnd,
    gap: { readonly gapMs: number; readonly attempts: number; readonly unsent: Unsent },
  ): void {
    const { connection } = this.#epochs.next(this.#outbox.binaryBytes)
    this.#state = 'open'
    this.#attach(link)
    const { messages, forgotten } = this.#configuration
    const { closeCode, reason } = end
    const replayed = messages.length
    this.#intake.reader.push({
      gap: { connection, ...gap, closeCode, reason, replayed, forgotten },
      sizeBytes: 0,
    })
    this.#emit({ state: 'reconnected' })
    for (const { message, text } of messages) {
      this.#outbox.send(text, () => this.#noteSent(message)).catch(() => undefined)
    }
    this.#outbox.release()
    link.own(this)
  }

  async close(options: CloseOptions = {}): Promise<ConnectionEnd> {
    const { code, reason, quietMs } = checkClose(options)
    if (quietMs > 0) await this.#silence.wait(quietMs)
    if (this.#state === 'reconnecting') {
      this.#stop.abort(closingError(this.#plan.channel.id))
      this.#finish({ closeCode: 1006, reason: '' })
    } else if (this.#state === 'open') this.#beginClose(code, reason, closingError(this.#plan.channel.id))
    return this.closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #beginClose(code: number, reason: string, error: unknown): void {
    this.#state = 'closing'
    this.#keepAlive?.stop()
    this.#outbox.stop(error)
    this.#endings.end(error)
    this.#intake.close()
    this.#closeTimer = this.#core.clock.setTimer(() => this.#cut(), this.#settings.closeTimeoutMs)
    this.#link.close(code, reason)
  }

  /** The closing handshake took too long. */
  #cut(): void {
    this.#outbox.sample()
    this.#link.terminate()
    this.#link.closed(1006, '')
  }

  /** Ends it because of something on this side: everything that waits is told at once. */
  #fail(error: unknown): void {
    if (this.#state === 'closed') return
    this.#failure ??= { error }
    if (this.#state === 'reconnecting') {
      this.#stop.abort(error)
      return this.#finish({ closeCode: 1006, reason: '' })
    }
    if (this.#state === 'open') this.#beginClose(1000, '', error)
    this.#outbox.abandon(error)
    this.#requests.end(error)
    this.#intake.reader.end({ error })
  }

  readonly #onAbort = (event: Event): void => this.#abort((event.target as AbortSignal).reason)

  #abort(reason: unknown): void {
    this.#intake.clear()
    this.#fail(reason)
  }

  #finish({ closeCode, reason }: LinkEnd): void {
    if (this.#state === 'closed') return
    if (this.#state === 'closing' && closeCode !== 1006) this.#outbox.drained()
    this.#state = 'closed'
    this.#closeTimer?.cancel()
    this.#keepAlive?.stop()
    for (const signal of this.#settings.signals) signal.removeEventListener('abort', this.#onAbort)
    const failure = this.#failure
    const error = failure === undefined ? closingError(this.#plan.channel.id) : failure.error
    this.#outbox.end(error)
    this.#endings.end(error)
    this.#requests.end(error)
    this.#intake.reader.end(failure)
    this.#lease?.[Symbol.dispose]()
    this.#emit({ state: 'closed', closeCode, ...(failure && { failure: codeOf(error) }) })
    this.#ended.resolve({
      closeCode,
      reason,
      unsent: this.#outbox.unsent,
      dropped: this.#intake.dropped,
      ...(failure === undefined ? undefined : { error }),
    })
  }

  #closedError(end: LinkEnd): SocketError {
    return closedError(this.#plan.channel.id, end, this.#outbox.unsent, this.#link.scrub)
  }

  #emit(event: Omit<SocketEvent, 'type' | 'channel'>): void {
    emit(this.#core, { type: 'socket', channel: this.#plan.channel.id, ...event })
  }
}
