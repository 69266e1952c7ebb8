import type { Mismatch } from './errors.ts'

/** One request that the emulator was sent. Holds no header and no body, so no secret. @public */
export interface RequestRecord {
  /** When it came, in milliseconds since the Unix epoch, by the emulator's clock. */
  readonly at: number
  readonly method: string
  /** The path exactly as it was sent, without the query. */
  readonly path: string
  /** The operation of the request; absent for a request that isn't one of the contract. */
  operationId?: string
  /** The status of the response; absent while the request runs and if the connection was broken. */
  status?: number
  /** The faults that happened to it. */
  readonly faults: string[]
  /** The violations of the contract in the request. */
  mismatches: readonly Mismatch[]
}

/** One WebSocket connection. Holds no header, no query and no message, so no secret. @public */
export interface ConnectionRecord {
  /** Its number, from 1. */
  readonly id: number
  /** The channel of the contract. */
  readonly channel: string
  /** When it opened, in milliseconds since the Unix epoch, by the emulator's clock. */
  readonly openedAt: number
  /** Messages of the client, and the bytes in them. */
  received: number
  receivedBytes: number
  /** Messages to the client, and the bytes in them. */
  sent: number
  sentBytes: number
  /** Messages of the client that the contract rejects. */
  denied: number
  /** The faults that happened to it. */
  readonly faults: string[]
  /** How it ended; absent while it is open. */
  closed?: { at: number; code: number; reason: string; by: 'client' | 'emulator' }
}

/** A message that the contract rejects. @public */
export interface Violation {
  /** When, in milliseconds since the Unix epoch, by the emulator's clock. */
  readonly at: number
  /**
   * A request of the caller, or a response or webhook of the emulator; on a WebSocket a message that it received or
   * was about to send.
   */
  readonly direction: 'request' | 'response' | 'webhook' | 'received' | 'sent'
  /** The operation, the webhook or the channel. */
  operationId: string
  mismatches: readonly Mismatch[]
}

/** The journal of requests, newest last; bounded. */
export interface Journal {
  request(record: RequestRecord): RequestRecord
  connection(record: ConnectionRecord): ConnectionRecord
  violation(violation: Violation): void
  requests(): RequestRecord[]
  connections(): ConnectionRecord[]
  violations(): Violation[]
  clear(): void
}

const KEPT = 10_000

/** Makes an empty journal. */
export function createJournal(): Journal {
  let requests: RequestRecord[] = []
  let connections: ConnectionRecord[] = []
  let violations: Violation[] = []
  const push = <T>(list: T[], item: T): T => {
    list.push(item)
    if (list.length > KEPT) list.splice(0, list.length - KEPT)
    return item
  }
  return {
    request: (record) => push(requests, record),
    connection: (record) => push(connections, record),
    violation: (violation) => void push(violations, violation),
    requests: () => requests.map((record) => ({ ...record, faults: [...record.faults] })),
    connections: () => connections.map((record) => ({ ...record, faults: [...record.faults] })),
    violations: () => [...violations],
    clear() {
      requests = []
      connections = []
      violations = []
    },
  }
}

/** How serious an entry of the log is. @public */
export type LogLevel = 'info' | 'warn' | 'error'

/** Receives the log of the emulator. Default: nothing is logged. @public */
export type Log = (level: LogLevel, message: string) => void

/** A log that discards everything. */
export const silentLog: Log = () => {}
