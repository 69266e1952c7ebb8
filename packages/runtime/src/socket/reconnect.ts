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

/** A connection that lasts this long is stable. Once it is lost, back-off and deadline start over. */
const STABLE_AFTER_MS = 5_000

export interface Replacement {
  readonly link: Link
  readonly attempts: number
}

/**
 * Replaces a lost connection. Throws a SocketError if the deadline passes. Rethrows the error of an attempt if the
 * error isn't temporary. If `finalError` returns an error for a failed attempt, throws that error.
 *
 * @param openedAtMs When the lost connection was opened, on the monotonic clock.
 */
export type Replace = (
  end: LinkEnd,
  openedAtMs: number,
  openLink: () => Promise<Link>,
  signals: readonly AbortSignal[],
) => Promise<Replacement>

export function reconnector(
  core: ClientCore,
  channel: string,
  { backoff, deadlineMs }: ReconnectSettings,
  finalError: ConnectionSettings['finalError'],
): Replace {
  const { clock, random } = core
  let failures = 0
  /** When the deadline started to run; undefined until a connection is lost. */
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
    /** Set if another attempt can't help. */
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

/** Calls `finalError`, unless the caller's own code threw the error. */
export function finalErrorOf(
  error: unknown,
  finalError: ConnectionSettings['finalError'],
): Error | undefined {
  return SocketError.is(error) && !isOfCaller(error) ? finalError?.(error) : undefined
}

function isTemporary(error: unknown): boolean {
  if (isOfCaller(error)) return false
  if (isTransient(error, 'connect')) return true
  // Browsers and some other platforms hide why a handshake failed. So an error without a status may be temporary.
  return SocketError.is(error) && error.status === undefined
}

/** The maximum number of configuration messages to replay on a new connection. */
const MAX_KEPT = 256

interface KeptMessage {
  /** Undefined for a raw message that the caller marked for replay. */
  readonly message: string | undefined
  readonly text: string
  /** JSON pointers to all values in the message that aren't JSON objects. */
  readonly places: ReadonlySet<string>
}

/**
 * Keeps the messages that configured a channel, to send them again on the next connection. A message replaces an
 * earlier message of the same kind only if it sets every value that the earlier one set. If it omits a value, the
 * earlier value may still be in effect, so both messages are kept.
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

/** How often to ping while binary messages are sent, to find out what the server has received. */
const PROBE_INTERVAL_MS = 1_000
/** On a platform that can't ping, bytes count as received this long after they were written to the network. */
const ASSUMED_RECEIVED_MS = 5_000

/**
 * Tracks where each connection begins in the binary stream, which bytes the server has heard (processed), and which
 * bytes may have to be resent.
 *
 * If `reconnect.heard` returns true for a message, the server has heard all bytes that it had received by then. Some
 * bytes may still have been in flight. So bytes count as heard only if the client pinged the server after sending
 * them, and the pong arrived before the message.
 */
export class StreamPosition {
  readonly #clock: Clock
  readonly #resendBytes: number
  /** When the first binary message was sent. Before that, when the channel was opened. */
  #zeroMs: number
  #hasBegun = false
  /** Whether a binary message was sent on the current connection. */
  #connectionHasBegun = false
  #connection = 0
  /** The position of the next binary message in the stream, in bytes. Moves back when bytes have to be resent. */
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

  /** @param resendBytes The maximum number of bytes to keep for resending. */
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
   * If the last ping was answered, counts the bytes sent before that ping as received. Then pings again if more bytes
   * have been sent.
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
