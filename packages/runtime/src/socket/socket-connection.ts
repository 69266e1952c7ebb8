import type { ChannelDescriptor } from '../core/descriptors.ts'
import type { Timer } from '../core/clock.ts'
import { SocketError } from '../core/errors.ts'
import type { SocketEvent } from '../core/events.ts'
import { isPromise } from '../core/async.ts'
import { type ClientCore, emit } from '../http/client-state.ts'
import { isOfCaller } from '../retry/caller-errors.ts'
import type { Lease } from '../limit/limits.ts'
import {
  closedError,
  type CloseOptions,
  closingError,
  codeOf,
  type Connection,
  type ConnectionEnd,
  type ConnectionState,
  type FinishOptions,
  lossError,
  type RawSendOptions,
  type Received,
  type ReceivedMessage,
  silenceError,
  type SocketRequestOptions,
  stuckError,
  unreadError,
} from './connection.ts'
import { Gate, Outbox, sendAll, SENT, watched } from './outbox.ts'
import { openLink } from './handshake.ts'
import { type Activity, activityOf, startKeepAlive, watchLiveness, whenQuiet } from './idle.ts'
import type { Link, LinkEnd, LinkOwner } from './link.ts'
import {
  type ChannelPlan,
  checkBytes,
  checked,
  checkText,
  decode,
  type Entry,
  type MessageEntry,
  rawJson,
  toFrame,
  unchecked,
} from './messages.ts'
import { checkClose, checkFinish, checkRequest, type ConnectionSettings } from './settings.ts'
import { ReceiveQueue } from './receive-queue.ts'
import { Configuration, reconnector, type Replace, type Replacement, StreamPosition } from './reconnect.ts'
import { correlationOf, Requests } from './requests.ts'

type AnyReceived = Received<ChannelDescriptor>
type Frame = string | Uint8Array
type State =
  | { readonly is: 'open'; readonly link: Link }
  | { readonly is: 'reconnecting'; readonly stop: AbortController }
  | { readonly is: 'closing'; readonly link: Link; readonly timer: Timer }
  | { readonly is: 'closed' }

const LOST: LinkEnd = { closeCode: 1006, reason: '' }
/**
 * A channel over one socket, or over several successive sockets. Its state changes only in `#transition`.
 *
 * | state | what it guarantees |
 * |---|---|
 * | `open` | The socket is open. Messages go out and come in. Until the server has acknowledged the gating message, only this message goes out. The keep-alive and the liveness check run. |
 * | `reconnecting` | The socket is gone, and one loop tries to open a new socket. Messages are held back or rejected, as the caller chose. Messages that have already arrived can still be read. |
 * | `closing` | The caller closed the connection. New messages are rejected. For at most `closeTimeoutMs`, messages that were sent earlier still go out, and messages that still arrive can be read. |
 * | `closed` | Nothing goes out or comes in. Every promise has settled. The reader gets the messages that have arrived, then the error, if any. The last socket may still be closing in the background. When that socket is gone, its share of the connection limit becomes free. |
 *
 * | from | to | when |
 * |---|---|---|
 * | `open` | `reconnecting` | the socket ended, `reconnect` applies, `finalError` returned no error, and the end wasn't proper. An end is proper if `properEnd` returns true, or if the server closes normally during `finish()` and has received everything. |
 * | `open` | `closing` | `close()`, or `finish()` once everything is done |
 * | `open` | `closed` | the socket ended in any other way; an abort; a failure, such as an overflow or a gating message that isn't acknowledged in time |
 * | `reconnecting` | `open` | another socket was opened: configuration messages are replayed, then binary messages are resent, then held messages are sent |
 * | `reconnecting` | `closed` | the deadline has passed; an error that another attempt can't fix; `close()`; an abort |
 * | `closing` | `closed` | the closing handshake is complete or timed out; an abort |
 *
 * Only the first failure is recorded. The reader, senders, requests and `closed` all report this error.
 */
export class SocketConnection implements Connection<ChannelDescriptor>, LinkOwner {
  readonly #core: ClientCore
  readonly #plan: ChannelPlan
  readonly #settings: ConnectionSettings
  readonly #lease: Lease | undefined
  readonly #position: StreamPosition
  readonly #outbox: Outbox
  readonly #gate: Gate
  readonly #queue: ReceiveQueue<Entry, AnyReceived>
  readonly #requests: Requests
  readonly #replace: Replace | undefined
  readonly #configuration: Configuration
  readonly #ended = Promise.withResolvers<ConnectionEnd>()
  /** Aborted when the connection begins to close, or ends. From then on, the caller can't send messages. */
  readonly #over = new AbortController()
  #state: State
  /** Why the connection failed. The error is wrapped, because a function of the caller may throw `undefined`. */
  #failure: { readonly error: unknown } | undefined = undefined
  #isFinishing = false
  #stopKeepAlive: (() => void) | undefined = undefined
  #stopLiveness: (() => void) | undefined = undefined
  /** `sources` counts the calls of `sendFrom()` that are still running. */
  readonly #tally = { arrived: 0, lastMs: 0, sources: 0 }

  constructor(
    core: ClientCore,
    plan: ChannelPlan,
    settings: ConnectionSettings,
    { link, lease }: { readonly link: Link; readonly lease: Lease | undefined },
  ) {
    const { channel } = plan
    const { clock } = core
    this.#core = core
    this.#plan = plan
    this.#settings = settings
    this.#lease = lease
    this.#position = new StreamPosition(clock, settings.reconnect?.resendBytes ?? 0)
    this.#outbox = new Outbox(clock, channel, settings.sending, this.#position)
    this.#gate = new Gate({ clock, channel }, settings, this.#outbox, (error) => this.#fail(error))
    const queue = new ReceiveQueue<Entry, AnyReceived>(settings.receiving, (entry) => this.#read(entry))
    this.#queue = queue
    this.#requests = new Requests(clock, channel.id, () => (queue.paused ? queue.count : 0))
    this.#configuration = new Configuration(channel.rules, settings.reconnect !== undefined)
    this.#replace =
      settings.reconnect && reconnector(core, channel.id, settings.reconnect, settings.finalError)
    for (const signal of settings.signals) signal.addEventListener('abort', this.#onAbort)
    this.#state = { is: 'open', link }
    this.#attach(link)
    link.own(this)
    // If a signal was aborted before its listener was added, the listener isn't called.
    for (const signal of settings.signals) if (signal.aborted) this.#abort(signal.reason)
  }

  get state(): ConnectionState {
    return this.#state.is
  }

  get closed(): Promise<ConnectionEnd> {
    return this.#ended.promise
  }

  get bufferedBytes(): number {
    return this.#outbox.bufferedBytes
  }

  send(message: string, payload: unknown): Promise<void> {
    return this.#attempt(() => {
      const frame = toFrame(this.#plan, message, payload)
      const go = (done: Frame): Promise<void> =>
        done instanceof Uint8Array ? this.sendBinary(done) : this.#sendMessage(message, done, payload)
      return isPromise(frame) ? frame.then(go) : go(frame)
    })
  }

  sendBinary(bytes: Uint8Array): Promise<void> {
    return this.#attempt(() => {
      checkBytes(this.#plan.channel, bytes)
      // An empty frame carries no data, and some services end the connection when they receive one.
      return bytes.length === 0 ? SENT : this.#outbox.send(bytes)
    })
  }

  sendFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const send = (chunk: Uint8Array): Promise<void> => this.sendBinary(chunk)
    this.#tally.sources += 1
    const sent = sendAll(this.#plan.channel, source, send, this.#over.signal)
    return this.#attempt(() => sent.finally(() => (this.#tally.sources -= 1)))
  }

  sendText(text: string, options: RawSendOptions = {}): Promise<void> {
    return this.#attempt(() => this.#sendRaw(checkText(this.#plan.channel, text), options))
  }

  sendJson(value: unknown, options: RawSendOptions = {}): Promise<void> {
    return this.#attempt(() => this.#sendRaw(rawJson(this.#plan.channel, value), options))
  }

  async request(
    message: string,
    payload: unknown,
    options: SocketRequestOptions = {},
  ): Promise<ReceivedMessage<ChannelDescriptor>> {
    const { replies } = this.#plan.channel
    const correlation = correlationOf(this.#plan.sends.get(message), payload)
    const settings = { ...checkRequest(options), correlation }
    const frame = await toFrame(this.#plan, message, payload)
    const send = (onWritten: () => void) => this.#sendMessage(message, frame, payload, onWritten)
    this.#queue.stretch(true)
    try {
      const entry = await this.#requests.perform(message, replies[message], send, settings)
      // Of the replies that the contract lists for a message, the first means success. A message that the server
      // denied must not be sent again on a new connection.
      if (entry.plan?.key === replies[message]?.[0]) this.#configuration.noteApplied(message, frame)
      return (await this.#read(entry)) as ReceivedMessage<ChannelDescriptor>
    } finally {
      this.#queue.stretch(false)
    }
  }

  async close(options: CloseOptions = {}): Promise<ConnectionEnd> {
    this.#close(checkClose(options))
    return this.closed
  }

  finish(options: FinishOptions = {}): Promise<ConnectionEnd> {
    return this.#attempt(() => this.#finish(checkFinish(options)))
  }

  async #finish({ quietMs, ...close }: Required<FinishOptions>): Promise<ConnectionEnd> {
    this.#isFinishing = true
    const activity = (): Activity => {
      const link = this.#state.is === 'open' ? this.#state.link : undefined
      return activityOf(link, this.#outbox, this.#queue, this.#tally)
    }
    const work = whenQuiet(this.#core.clock, quietMs, activity, this.#over.signal)
    // `work` rejects if the connection ends first. In this case, `close()` only returns how the connection ended.
    if (await work.catch(() => true)) return this.close(close)
    this.#fail(stuckError(this.#plan.channel.id, this.bufferedBytes, this.#queue.pending))
    return this.closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  [Symbol.asyncIterator](): AsyncIterator<AnyReceived, undefined> {
    return this.#queue.iterator()
  }

  onMessage(data: string | Uint8Array, receivedMs: number): void {
    if (this.#state.is === 'closed') return
    this.#tally.arrived += 1
    this.#tally.lastMs = receivedMs
    const entry = decode(this.#plan, data, this.#position.base)
    try {
      const final = this.#judge(entry)
      const isTaken = this.#requests.settle(entry) || this.#queue.push(entry)
      if (final !== undefined) this.#fail(final)
      else if (!isTaken && this.#state.is === 'open')
        this.#fail(unreadError(this.#plan.channel.id, this.#queue.count, this.#queue.bytes))
    } catch (error) {
      // Thrown by a function of the caller.
      this.#fail(error)
    }
  }

  onFlushed(): void {
    this.#outbox.onFlushed()
  }

  onClosed(end: LinkEnd): void {
    const state = this.#state
    try {
      if (state.is === 'closing') this.#onCloseDone(state.link, end)
      else if (state.is === 'open') this.#onLost(state.link, end)
    } catch (error) {
      // Thrown by a function of the caller.
      this.#fail(error)
    }
  }

  /** Passes a message to the caller's functions. Returns an error if the message must end the connection. */
  #judge(entry: MessageEntry): Error | undefined {
    const { finalError, reconnect } = this.#settings
    if (reconnect?.heard(unchecked(entry)) === true) this.#position.noteHeard()
    const final = finalError?.(unchecked(entry))
    if (final === undefined) this.#gate.openIfAcknowledged(() => unchecked(entry))
    return final
  }

  #read(entry: Entry): AnyReceived | Promise<AnyReceived> {
    return checked({ core: this.#core, plan: this.#plan, settings: this.#settings }, entry)
  }

  /** Sends a message that the contract defines. Only `request()` passes `onWritten`. */
  #sendMessage(message: string, frame: Frame, payload?: unknown, onWritten?: () => void): Promise<void> {
    const gating = this.#gate.isGating(message)
    return this.#outbox.send(frame, {
      gating,
      onWritten: () => {
        this.#gate.noteSent()
        if (onWritten !== undefined) return onWritten()
        const { channel, sends } = this.#plan
        this.#requests.noteSent(channel.replies[message], correlationOf(sends.get(message), payload))
        this.#configuration.noteApplied(message, frame)
      },
    })
  }

  #sendRaw(text: string, { replay }: RawSendOptions): Promise<void> {
    const message = this.#plan.keyOfRawMessage(text)
    if (message !== undefined) return this.#sendMessage(message, text)
    if (replay !== true) return this.#outbox.send(text)
    return this.#outbox.send(text, { onWritten: () => this.#configuration.keep(undefined, text) })
  }

  /** Starts work. If it fails and the caller doesn't handle the rejection, the connection ends with the error. */
  #attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    let sent: Promise<Result>
    try {
      sent = work()
      if (sent === SENT) return sent
    } catch (error) {
      sent = Promise.reject(error as Error)
    }
    return watched(sent, (error) => {
      // If the connection isn't open, a SocketError only repeats what `closed` or the next gap reports.
      const isReported = SocketError.is(error) && !isOfCaller(error) && this.#state.is !== 'open'
      if (!isReported) this.#fail(error)
    })
  }

  #attach(link: Link): void {
    this.#outbox.attach(link, !this.#gate.exists)
    this.#queue.attach(link)
    if (this.#replace !== undefined) this.#position.attach(link)
    const { keepAlive } = this.#plan.channel.rules
    this.#stopKeepAlive = keepAlive && startKeepAlive(keepAlive, this.#core.clock, this.#outbox)
    this.#stopLiveness = watchLiveness(link, this.#core.clock, this.#settings.liveness, {
      isPaused: () => this.#queue.paused,
      readAhead: (on) => this.#queue.stretch(on),
      onSilence: (silentMs) => this.#onSilence(silentMs),
    })
  }

  #onSilence(silentMs: number): void {
    const state = this.#state
    if (state.is !== 'open') return
    this.#outbox.sample()
    state.link.terminate()
    state.link.closed(1006, '', silenceError(this.#plan.channel.id, silentMs))
  }

  /** Called when a socket that the client didn't close has ended. */
  #onLost(link: Link, end: LinkEnd): void {
    const { properEnd, finalError, reconnect } = this.#settings
    const { closeCode, reason } = end
    const unsent = this.#outbox.unsent
    const { id } = this.#plan.channel
    const error = closedError(id, end, unsent, false)
    const final = finalError?.(error)
    const isProper = this.#isProperlyFinished(link, end) || properEnd({ closeCode, reason })
    if (final !== undefined || isProper || reconnect?.when({ closeCode, reason }) !== true) {
      if (final !== undefined || !isProper) this.#failure ??= { error: final ?? error }
      return this.#transition({ is: 'closed' }, end)
    }
    const lost = closedError(id, end, unsent, true)
    this.#requests.lose(lost)
    const stop = new AbortController()
    this.#transition({ is: 'reconnecting', stop }, end)
    const buffered = this.#outbox.detach(reconnect.sends === 'fail' ? lost : undefined)
    void this.#reconnect(stop, end, link.lastLifeMs, buffered)
  }

  /** Returns whether the server closed the connection during `finish()`, after it had received everything. */
  #isProperlyFinished(link: Link, { closeCode }: LinkEnd): boolean {
    const isClean = closeCode === 1000 || closeCode === 1005
    const isDone = this.#tally.sources === 0 && !this.#outbox.isHolding && link.isSettled
    return this.#isFinishing && isClean && isDone
  }

  async #reconnect(
    stop: AbortController,
    end: LinkEnd,
    lastLifeMs: number,
    unsent: ConnectionEnd['unsent'],
  ): Promise<void> {
    const { clock } = this.#core
    const signals = [stop.signal, ...this.#settings.signals]
    try {
      const open = (): Promise<Link> => openLink(this.#core, this.#plan, this.#settings, signals)
      const replacement = await this.#replace?.(end, this.#position.openedMs, open, signals)
      if (replacement === undefined) return
      if (this.#state.is !== 'reconnecting') return replacement.link.terminate()
      this.#reopen(replacement, end, { gapMs: clock.monotonic() - lastLifeMs, unsent })
    } catch (error) {
      if (this.#state.is !== 'reconnecting') return
      this.#failure ??= { error }
      this.#transition({ is: 'closed' }, end)
    }
  }

  #reopen(
    { link, attempts }: Replacement,
    { closeCode, reason }: LinkEnd,
    gap: { readonly gapMs: number; readonly unsent: ConnectionEnd['unsent'] },
  ): void {
    const { resend, ...passage } = this.#position.beginConnection(this.#outbox.isHolding)
    this.#transition({ is: 'open', link })
    this.#attach(link)
    const { messages, forgotten } = this.#configuration
    const data = { ...gap, ...passage, attempts, closeCode, reason, replayed: messages.length, forgotten }
    this.#queue.push({ gap: data, sizeBytes: 0 }, true)
    for (const { message, text } of messages) {
      const sent = message === undefined ? this.#outbox.send(text) : this.#sendMessage(message, text)
      sent.catch(() => undefined)
    }
    this.#outbox.resend(resend)
    this.#outbox.release()
    link.own(this)
  }

  #close({ code, reason }: Required<CloseOptions>): void {
    const state = this.#state
    if (state.is === 'reconnecting') return this.#transition({ is: 'closed' }, LOST)
    if (state.is !== 'open') return
    const { link } = state
    const timer = this.#core.clock.setTimer(() => {
      this.#outbox.sample()
      link.terminate()
      link.closed(1006, '')
    }, this.#settings.closeTimeoutMs)
    this.#transition({ is: 'closing', link, timer })
    link.close(code, reason)
  }

  #onCloseDone(link: Link, end: LinkEnd): void {
    const { id } = this.#plan.channel
    // If the server began the closing handshake, the socket's buffer may still contain messages. Only platforms that
    // can ping show this buffer reliably. On other platforms, everything counts as sent.
    if (end.closeCode !== 1006 && link.canPing) this.#outbox.sample()
    else if (end.closeCode !== 1006) this.#outbox.drained()
    const { buffered } = this.#outbox
    const { dropped } = this.#queue
    const final = this.#settings.finalError?.(closedError(id, end, buffered, false))
    if (final !== undefined) this.#failure ??= { error: final }
    else if (buffered.messages > 0 || dropped > 0)
      this.#failure ??= { error: lossError(id, buffered, dropped) }
    this.#transition({ is: 'closed' }, end)
  }

  /** Ends the connection at once because of a local failure. The socket closes in the background. */
  #fail(error: unknown): void {
    if (this.#state.is === 'closed') return
    this.#failure ??= { error }
    this.#outbox.sample()
    this.#transition({ is: 'closed' }, LOST)
  }

  readonly #onAbort = (event: Event): void => this.#abort((event.target as AbortSignal).reason)

  #abort(reason: unknown): void {
    this.#queue.clear()
    this.#fail(reason)
  }

  #transition(next: State, end: LinkEnd = LOST): void {
    const last = this.#state
    this.#state = next
    if (next.is === 'open') return this.#emit({ state: 'reconnected' })
    this.#stopKeepAlive?.()
    this.#stopLiveness?.()
    this.#gate.stop()
    if (next.is === 'reconnecting') {
      this.#emit({ state: 'reconnecting', closeCode: end.closeCode })
    } else if (next.is === 'closing') {
      const error = closingError(this.#plan.channel.id)
      this.#over.abort(error)
      this.#outbox.stop(error)
      this.#queue.close()
    } else this.#leaveAll(last, end)
  }

  #leaveAll(last: State, { closeCode, reason }: LinkEnd): void {
    const failure = this.#failure
    const error = failure === undefined ? closingError(this.#plan.channel.id) : failure.error
    const { unsent } = this.#outbox
    this.#over.abort(error)
    if (last.is === 'reconnecting') last.stop.abort(error)
    if (last.is === 'closing') last.timer.cancel()
    for (const signal of this.#settings.signals) signal.removeEventListener('abort', this.#onAbort)
    this.#outbox.end(error)
    this.#requests.end(error)
    this.#queue.end(failure)
    const free = (): void => this.#lease?.[Symbol.dispose]()
    if (last.is === 'open' || last.is === 'closing') last.link.dismiss(this.#settings.closeTimeoutMs, free)
    else free()
    this.#emit({ state: 'closed', closeCode, ...(failure && { failure: codeOf(error) }) })
    this.#ended.resolve({
      closeCode,
      reason,
      unsent,
      dropped: this.#queue.dropped,
      ...(failure === undefined ? undefined : { error }),
    })
  }

  #emit(event: Omit<SocketEvent, 'type' | 'channel'>): void {
    emit(this.#core, { type: 'socket', channel: this.#plan.channel.id, ...event })
  }
}
