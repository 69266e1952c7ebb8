import { EmulatorOptionsError } from './errors.ts'
import type { RandomSource } from './random.ts'

/** The faults that can be injected. @public */
export type FaultKind =
  | {
      kind: 'latency'
      /** The delay before the request is handled, in milliseconds. */
      delayMs: number
      /** The longest delay in milliseconds. If set, each delay is random between `delayMs` and `upToMs`. */
      upToMs?: number
    }
  | {
      kind: 'reset'
      /** When the connection breaks: before or after the request is handled, or in the middle of the response body. */
      when: 'before' | 'after' | 'mid-body'
    }
  | {
      kind: 'stall'
      /** When the emulator stops responding: before it handles the request, or in the middle of the response body. */
      when: 'before' | 'mid-body'
    }
  | {
      kind: 'truncate'
      /**
       * The fraction of the body that is sent, at least 0 and less than 1; by default 0.5. `content-length` is the
       * length of the sent part.
       */
      keep?: number
    }
  | {
      kind: 'body'
      /** The body to send instead of the real body. The emulator doesn't check it against the contract. */
      body: string
      /** The media type of `body`; by default `text/html; charset=utf-8`. */
      contentType?: string
      /** The status; by default, the real response's status. */
      status?: number
    }
  | {
      kind: 'status'
      /** The response status. */
      status: number
      /** Whether the emulator handles the request before it sends this response; by default false. */
      handled?: boolean
      /** Response headers, such as `retry-after`. */
      headers?: Record<string, string>
      /** The body. A string is sent unchanged, any other value as JSON. By default, `{ detail }` with a message. */
      body?: unknown
    }
  | ({
      /** Ends the connection without a close frame. */
      kind: 'socket-drop'
    } & SocketMoment)
  | ({
      /** Closes the connection. */
      kind: 'socket-close'
      /** The code of the close frame (RFC 6455, section 7.4). */
      code: number
      /** The reason in the close frame. */
      reason?: string
    } & SocketMoment)
  | ({
      /** The emulator stops reading from the connection. */
      kind: 'socket-stall'
    } & SocketMoment)
  | {
      kind: 'socket-latency'
      /** The delay before each message to the client, in milliseconds. */
      delayMs: number
      /** The longest delay in milliseconds. If set, each delay is random between `delayMs` and `upToMs`. */
      upToMs?: number
    }
  | {
      /** The webhook is not delivered. */
      kind: 'webhook-lost'
    }
  | {
      kind: 'webhook-duplicate'
      /** How many extra copies are delivered; by default 1. */
      copies?: number
    }

/**
 * The moment when a fault happens on an open WebSocket: after `afterReceived` messages from the client, `afterSent`
 * messages to the client, or `afterMs` milliseconds, whichever comes first. If all three are omitted, the fault
 * happens immediately.
 *
 * @public
 */
export interface SocketMoment {
  readonly afterReceived?: number
  readonly afterSent?: number
  readonly afterMs?: number
}

/** A fault, and when it happens. @public */
export type Fault = FaultKind & {
  /** The operations, webhooks, channels or pages (such as `page:preview`) that the fault affects; by default, all. */
  operation?: string | readonly string[]
  /** How many times the fault happens; by default, once. */
  times?: number | 'always'
  /** How many matching requests to let through first; by default, none. */
  skip?: number
  /** The probability that the fault happens on a matching request, from 0 to 1; by default 1. */
  probability?: number
}

/** An injected fault that can still happen. @public */
export interface ActiveFault {
  readonly id: number
  readonly fault: Fault
  /** How many times the fault has happened. */
  happened: number
}

/** Injects faults. @public */
export interface FaultControl {
  /** Injects a fault. To remove it, call the returned `remove`, or pass the returned `id` to `clear`. */
  add(fault: Fault): { id: number; remove(): void }
  /** Lists the injected faults that can still happen. */
  list(): ActiveFault[]
  /** Removes the fault with this `id`, or every fault if `id` is omitted. */
  clear(id?: number): void
}

export interface Faults extends FaultControl {
  /**
   * Picks the faults for a request: every matching latency fault, and the oldest of the other matching faults. The
   * remaining faults wait for later requests.
   */
  draw(operationId: string, kinds: ReadonlySet<FaultKind['kind']>): Fault[]
}

export const REQUEST_FAULTS: ReadonlySet<FaultKind['kind']> = new Set([
  'latency',
  'reset',
  'stall',
  'truncate',
  'body',
  'status',
])
export const WEBHOOK_FAULTS: ReadonlySet<FaultKind['kind']> = new Set(['webhook-lost', 'webhook-duplicate'])

export const UPGRADE_FAULTS: ReadonlySet<FaultKind['kind']> = new Set(['latency', 'reset', 'stall', 'status'])
export const SOCKET_FAULTS: ReadonlySet<FaultKind['kind']> = new Set([
  'socket-drop',
  'socket-close',
  'socket-stall',
  'socket-latency',
])

interface Entry {
  readonly id: number
  readonly fault: Fault
  left: number
  toSkip: number
  happened: number
}

/** `operationIds` are the valid values of a fault's `operation`. */
export function createFaults(random: RandomSource, operationIds: readonly string[]): Faults {
  let entries: Entry[] = []
  let ids = 0
  return {
    add(fault) {
      check(fault, operationIds)
      const times = fault.times ?? 1
      const id = ++ids
      entries.push({
        id,
        fault,
        left: times === 'always' ? Infinity : times,
        toSkip: fault.skip ?? 0,
        happened: 0,
      })
      return { id, remove: () => void (entries = entries.filter((entry) => entry.id !== id)) }
    },
    list: () => entries.map(({ id, fault, happened }) => ({ id, fault, happened })),
    clear(id) {
      entries = id === undefined ? [] : entries.filter((entry) => entry.id !== id)
    },
    draw(operationId, kinds) {
      const drawn: Fault[] = []
      let hasNonLatency = false
      for (const entry of entries) {
        const isLatency = entry.fault.kind === 'latency' || entry.fault.kind === 'socket-latency'
        if (!kinds.has(entry.fault.kind) || !concerns(entry.fault, operationId)) continue
        if (hasNonLatency && !isLatency) continue
        if (entry.toSkip > 0) {
          entry.toSkip--
          continue
        }
        if (random() >= (entry.fault.probability ?? 1)) continue
        entry.left--
        entry.happened++
        drawn.push(entry.fault)
        hasNonLatency ||= !isLatency
      }
      entries = entries.filter((entry) => entry.left > 0)
      return drawn
    },
  }
}

function concerns(fault: Fault, operationId: string): boolean {
  const { operation } = fault
  return (
    operation === undefined ||
    operation === operationId ||
    (Array.isArray(operation) && operation.includes(operationId))
  )
}

const KINDS = new Set<string>([...REQUEST_FAULTS, ...SOCKET_FAULTS, ...WEBHOOK_FAULTS])

function check(fault: Fault, operationIds: readonly string[]): void {
  const deny = (reason: string): never => {
    throw new EmulatorOptionsError(`Invalid fault: ${reason}.`)
  }
  if (!KINDS.has(fault.kind)) deny(`\`kind\` must be one of ${[...KINDS].join(', ')}`)
  const named = fault.operation === undefined ? [] : [fault.operation].flat()
  for (const name of named)
    if (!operationIds.includes(name))
      deny(`unknown operation \`${name}\`. Valid operations: ${operationIds.join(', ')}`)
  const { times = 1, skip = 0, probability = 1 } = fault
  if (times !== 'always' && !(Number.isInteger(times) && times > 0))
    deny('`times` must be a whole number above 0, or "always"')
  if (!(Number.isInteger(skip) && skip >= 0)) deny('`skip` must be a whole number, 0 or more')
  if (!(probability >= 0 && probability <= 1)) deny('`probability` must be between 0 and 1')
  if (
    (fault.kind === 'latency' || fault.kind === 'socket-latency') &&
    !(fault.delayMs >= 0 && (fault.upToMs ?? fault.delayMs) >= fault.delayMs)
  )
    deny('`delayMs` must be 0 or more, and `upToMs` at least `delayMs`')
  if (fault.kind === 'reset' && !['before', 'after', 'mid-body'].includes(fault.when))
    deny('`when` must be `before`, `after` or `mid-body`')
  if (fault.kind === 'stall' && !['before', 'mid-body'].includes(fault.when))
    deny('`when` must be `before` or `mid-body`')
  if (fault.kind === 'truncate' && !((fault.keep ?? 0.5) >= 0 && (fault.keep ?? 0.5) < 1))
    deny('`keep` must be at least 0 and less than 1')
  if (fault.kind === 'status' && !isStatus(fault.status))
    deny('`status` must be a whole number from 200 to 599')
  if (fault.kind === 'body' && (typeof fault.body !== 'string' || !isStatus(fault.status ?? 200)))
    deny('`body` must be a string, and `status` a whole number from 200 to 599')
  if (fault.kind === 'socket-drop' || fault.kind === 'socket-close' || fault.kind === 'socket-stall')
    for (const moment of [fault.afterReceived, fault.afterSent, fault.afterMs])
      if (!((moment ?? 0) >= 0)) deny('`afterReceived`, `afterSent` and `afterMs` must be 0 or more')
  if (fault.kind === 'socket-close' && !isCloseCode(fault.code))
    deny('`code` must be 1000 to 1003, 1007 to 1014 or 3000 to 4999')
  if (fault.kind === 'webhook-duplicate' && !(Number.isInteger(fault.copies ?? 1) && (fault.copies ?? 1) > 0))
    deny('`copies` must be a whole number above 0')
}

function isStatus(status: unknown): boolean {
  return Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599
}

/** Returns whether a close frame may contain `code` (RFC 6455, section 7.4). */
export function isCloseCode(code: unknown): code is number {
  if (!Number.isInteger(code)) return false
  const number = Number(code)
  return (
    (number >= 1000 && number <= 1003) ||
    (number >= 1007 && number <= 1014) ||
    (number >= 3000 && number <= 4999)
  )
}
