import type { Clock } from '../core/clock.ts'
import type { SocketRules } from '../core/descriptors.ts'
import { SocketError, type Unsent } from '../core/errors.ts'
import { type ClientCore, emit } from '../http/client-state.ts'
import { isOfCaller } from '../retry/caller-errors.ts'
import { isTransient, repeat, type Retry, retryEvent } from '../retry/retry.ts'
import { type ConnectionBase, endedError } from './connection.ts'
import type { Link, LinkEnd } from './link.ts'
import { parseIfJson } from './messages.ts'
import { Fifo } from './receive-queue.ts'
import type { ConnectionSettings, ReconnectSettings } from './settings.ts'

/** A connection that lasts this long is stable: once it is lost, the back-off and the deadline start over. */
const STABLE_AFTER_MS = 5_000

export interface Replacement {
  readonly link: Link
  readonly attempts: number
}

/**
 * Replaces a lost connection. Throws a SocketError if the deadline passes. Rethrows the error of an attempt if
 * another attempt can't fix it. Throws the error that `finalError` returns for a failed attempt, if it returns one.
 *
 * @param openedAtMs When the lost connection was opened, on the monotonic clock.
 */
export type Replace = (
  end: LinkEnd,
  openedAtMs: number,
  openLink: () => Promise<Link>,
  signals: readonly AbortSignal[],
) => Promise<Replacement>

/** Returns a function that replaces lost connections, with back-off and full jitter until the deadline. */
export function reconnector(
  core: ClientCore,
  channel: string,
  { backoff, deadlineMs }: ReconnectSettings,
  finalError: ConnectionSettings['finalError'],
): Replace {
  const { clock, random } = core
  let failures = 0
  /** The time of the first loss since the last stable connection; undefined until a connection is lost. */
  let sinceMs: number | undefined
  return async ({ closeCode, reason }, openedAtMs, openLink, signals) => {
    const lost = `the connection was lost (close code ${closeCode})`
    const loss = endedError(channel, `${lost}.`, { closeCode, reason })
    const nowMs = clock.monotonic()
    if (sinceMs === undefined || nowMs - openedAtMs >= STABLE_AFTER_MS) {
      failures = 0
      sinceMs = nowMs
    }
    let attempts = 0
    /** Set to an error that another attempt can't fix. */
    let final: { readonly error: unknown } | undefined
    const job = {
      clock,
      random,
      backoff,
      signals,
      failures,
      endsAtMs: sinceMs + deadlineMs,
      lastAttemptAtEnd: true,
      // The client's retry budget is only for API calls. Reconnecting is limited by its own back-off and deadline.
      budget: undefined,
      attempt(): Promise<Link> {
        attempts += 1
        return openLink()
      },
      again(error: unknown): boolean {
        for (const signal of signals) signal.throwIfAborted()
        if (error === loss) return true
        const better = finalErrorOf(error, finalError)
        if (better !== undefined || !isTemporary(error)) final = { error: better ?? error }
        return final === undefined
      },
      onRetry(retried: Retry): void {
        failures = retried.failures
        if (attempts > 0) emit(core, retryEvent(channel, attempts, retried))
      },
      lastError(error: unknown): unknown {
        if (final !== undefined) return final.error
        const why = error === loss ? '' : ` The error of the last attempt: ${(error as Error).message}`
        const what =
          attempts === 0
            ? `\`reconnect.deadline\` (${deadlineMs} ms) has passed`
            : `${attempts === 1 ? '1 attempt' : `${attempts} attempts`} to replace it failed within ${deadlineMs} ms (\`reconnect.deadline\`)`
        return endedError(channel, `${lost}, and ${what}.${why}`, { closeCode, reason }, error)
      },
    }
    // The loss counts as the first failure, so that there is a wait before the first attempt.
    return { link: await repeat(job, loss), attempts }
  }
}

/** Doesn't call `finalError` for errors that the caller's own code threw. */
export function finalErrorOf(
  error: unknown,
  finalError: ConnectionSettings['finalError'],
): Error | undefined {
  return SocketError.is(error) && !isOfCaller(error) ? finalError?.(error) : undefined
}

function isTemporary(error: unknown): boolean {
  if (isOfCaller(error)) return false
  if (isTransient(error, 'connect')) return true
  // Some platforms, such as browsers, hide the response to a handshake. An error without a status may be temporary.
  return SocketError.is(error) && error.status === undefined
}

/** The largest number of configuration messages that are kept for a new connection. */
const MAX_KEPT = 256

interface KeptMessage {
  /** Undefined for a raw message that the caller marked for replay. */
  readonly message: string | undefined
  readonly text: string
  /** JSON pointers to all values that aren't objects. */
  readonly places: ReadonlySet<string>
}

/**
 * The messages that configured a channel, to be sent again on the next connection. A message replaces an earlier
 * message of the same kind if it sets every value that the earlier one set. Otherwise, both are kept, in order. The
 * reason is that a value from the earlier message may stay in effect if the later message omits it.
 */
export class Configuration {
  readonly #rules: SocketRules
  readonly #canReconnect: boolean
  #kept: KeptMessage[] = []
  /** How many messages were dropped because more than `MAX_KEPT` had to be kept. */
  forgotten = 0

  constructor(rules: SocketRules, canReconnect: boolean) {
    this.#rules = rules
    this.#canReconnect = canReconnect
  }

  get messages(): readonly Pick<KeptMessage, 'message' | 'text'>[] {
    return this.#kept
  }

  /** Called when a message has taken effect, as far as the client can know. */
  noteApplied(message: string, frame: string | Uint8Array): void {
    if (typeof frame === 'string' && this.#rules.replay?.includes(message)) this.keep(message, frame)
  }

  keep(message: string | undefined, text: string): void {
    if (!this.#canReconnect) return
    const places = new Set<string>()
    collectPlaces(parseIfJson(text), '', places)
    this.#kept = this.#kept.filter(
      (earlier) => earlier.message !== message || ![...earlier.places].every((place) => places.has(place)),
    )
    this.#kept.push({ message, text, places })
    if (this.#kept.length <= MAX_KEPT) return
    this.#kept.shift()
    this.forgotten += 1
  }
}

function collectPlaces(value: unknown, at: string, places: Set<string>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    places.add(at)
    return
  }
  for (const [name, item] of Object.entries(value)) collectPlaces(item, `${at}/${name}`, places)
}

/** A binary message, with the time at which the caller sent it. */
export interface Chunk {
  readonly bytes: Uint8Array
  readonly offeredMs: number
}

/**
 * Describes the new connection, and what happened to the messages of the lost one. `sentBytes`, `possiblyLostBytes`
 * and `resentBytes` count only binary messages.
 */
interface ConnectionChange {
  readonly connection: number
  readonly sentBytes: number
  readonly possiblyLostBytes: number
  readonly resentBytes: number
  readonly rejected: Unsent
  readonly resend: readonly Chunk[]
}

type Carrier = Pick<Link, 'bufferedBytes' | 'canPing' | 'confirmedMarks' | 'mark'>

/** The interval of the pings that are sent along with binary messages. A pong shows what the server has received. */
const PROBE_INTERVAL_MS = 1_000
/** On a platform that can't ping, bytes count as received this long after they were written to the network. */
const ASSUMED_RECEIVED_MS = 5_000

/**
 * Tracks the position in the binary stream: where each connection begins, what the server has heard, and what may have
 * to be resent.
 *
 * `reconnect.heard` returns true for a message that the server sent after hearing (processing) all bytes it had
 * received. Other bytes may still have been in flight. So bytes count as heard only if the client pinged the server
 * after sending them, and the pong arrived before the message.
 */
export class StreamPosition {
  readonly #clock: Clock
  readonly #resendBytes: number
  /** The time of the stream's first binary message. Until it is sent, the time at which the channel was opened. */
  #zeroMs: number
  #hasBegun = false
  /** Whether a binary message was sent on the current connection. */
  #connectionHasBegun = false
  #connection = 0
  /** The position of the next binary message in the stream, in bytes. It moves back when bytes are to be resent. */
  #nextByte = 0
  #sentBytes = 0
  /** How many bytes of this connection the server has heard. */
  #heardBytes = 0
  /** How many bytes of this connection the server has received. */
  #receivedBytes = 0
  #probe: { readonly mark: number; readonly sentBytes: number; readonly sentMs: number } | undefined =
    undefined
  #probedMs = -Infinity
  #link: Carrier | undefined = undefined
  #kept = new Fifo<Chunk>()
  #keptBytes = 0
  #rejected: Unsent = { messages: 0, bytes: 0 }
  #rejectedBytes = 0
  /** When the connection was opened, on the monotonic clock. */
  openedMs: number
  /** Undefined for the first connection. */
  base: ConnectionBase | undefined = undefined

  /** @param resendBytes How many bytes to keep, so that they can be sent again; 0 keeps none. */
  constructor(clock: Clock, resendBytes: number) {
    this.#clock = clock
    this.#resendBytes = resendBytes
    this.#zeroMs = this.openedMs = clock.monotonic()
  }

  /** Uses the pings of a link to find out what the server has received. Before this call, nothing counts as heard. */
  attach(link: Carrier): void {
    this.#link = link
  }

  noteSent(bytes: Uint8Array, offeredMs: number): void {
    if (!this.#connectionHasBegun) this.#begin(offeredMs)
    const { length } = bytes
    this.#sentBytes += length
    this.#nextByte += length
    if (this.#resendBytes > 0) this.#keep({ bytes, offeredMs })
    if (offeredMs - this.#probedMs >= PROBE_INTERVAL_MS) this.#askForReceipt()
  }

  /** Called when a message was rejected while there was no connection. */
  noteRejected(data: string | Uint8Array): void {
    const { length } = data
    this.#rejected = { messages: this.#rejected.messages + 1, bytes: this.#rejected.bytes + length }
    if (typeof data !== 'string') this.#rejectedBytes += length
  }

  /** Called when `reconnect.heard` has returned true for a message from the server. */
  noteHeard(): void {
    this.#askForReceipt()
    this.#heardBytes = this.#receivedBytes
    for (let first = this.#kept.first; first !== undefined; first = this.#kept.first) {
      const { length } = first.bytes
      if (this.#sentBytes - this.#keptBytes + length > this.#heardBytes) break
      this.#kept.shift()
      this.#keptBytes -= length
    }
  }

  /**
   * Checks whether the last ping was answered. If it was, the bytes sent before it count as received. Another ping is
   * then sent if more bytes have been sent since.
   */
  #askForReceipt(): void {
    const link = this.#link
    if (link === undefined) return
    const nowMs = this.#clock.monotonic()
    const { mark, sentBytes, sentMs } = this.#probe ?? { mark: 0, sentBytes: 0, sentMs: -Infinity }
    const isReceived = link.canPing ? link.confirmedMarks >= mark : nowMs - sentMs >= ASSUMED_RECEIVED_MS
    if (!isReceived) return
    this.#receivedBytes = sentBytes
    if (this.#sentBytes === sentBytes) return
    const leavingBytes = link.canPing ? 0 : link.bufferedBytes
    this.#probedMs = nowMs
    this.#probe = {
      mark: link.mark(),
      sentBytes: Math.max(sentBytes, this.#sentBytes - leavingBytes),
      sentMs: nowMs,
    }
  }

  /** @param isHolding Whether messages are being held back. */
  beginConnection(isHolding: boolean): ConnectionChange {
    const resend = [...this.#kept]
    const resentBytes = this.#keptBytes
    const rejected = this.#rejected
    const isRejectedFirst = !isHolding && resentBytes === 0
    const firstByte = this.#nextByte - resentBytes
    const sentBytes = this.#sentBytes
    // The difference can be negative, because a chunk that was only partly heard is resent as a whole.
    const possiblyLostBytes = Math.max(0, sentBytes - this.#heardBytes - resentBytes)
    this.#nextByte = firstByte + this.#rejectedBytes
    const binaryBytesBefore = isRejectedFirst ? this.#nextByte : firstByte
    this.#sentBytes = this.#heardBytes = this.#receivedBytes = this.#keptBytes = this.#rejectedBytes = 0
    this.#probe = this.#link = undefined
    this.#kept = new Fifo()
    this.#rejected = { messages: 0, bytes: 0 }
    this.#connectionHasBegun = false
    this.openedMs = this.#clock.monotonic()
    this.#probedMs = -Infinity
    this.#connection += 1
    this.base = {
      connection: this.#connection,
      offsetMs: this.openedMs - this.#zeroMs,
      binaryBytesBefore,
    }
    return {
      connection: this.#connection,
      sentBytes,
      possiblyLostBytes,
      resentBytes,
      rejected,
      resend,
    }
  }

  #begin(offeredMs: number): void {
    this.#connectionHasBegun = true
    if (!this.#hasBegun) this.#zeroMs = offeredMs
    this.#hasBegun = true
    if (this.base !== undefined) this.base = { ...this.base, offsetMs: offeredMs - this.#zeroMs }
  }

  #keep(chunk: Chunk): void {
    this.#kept.push(chunk)
    this.#keptBytes += chunk.bytes.length
    while (this.#keptBytes > this.#resendBytes) this.#keptBytes -= this.#kept.shift()?.bytes.length ?? 0
  }
}
