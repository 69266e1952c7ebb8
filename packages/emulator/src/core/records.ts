import {
  CLOSED_MEANWHILE,
  ConnectionBrokenError,
  describeError,
  toEmulatorError,
  type Mismatch,
} from './errors.ts'

/** A request that the emulator received, without its headers and body, which may contain secrets. @public */
export interface RequestRecord {
  /** When the request arrived, in milliseconds since the Unix epoch, by the emulator's clock. */
  readonly at: number
  readonly method: string
  /** The path exactly as it was sent, without its query. */
  readonly path: string
  /** The operation or channel of the contract; absent if the request has none. */
  operationId?: string
  /** The status of the response; absent while the request is running or if the connection broke. */
  status?: number
  /** The faults that were applied. */
  readonly faults: string[]
  /** The mismatches between the request and the contract. */
  mismatches: readonly Mismatch[]
}

/** A WebSocket connection, without its headers, query and messages, which may contain secrets. @public */
export interface ConnectionRecord {
  /** The number of the connection, from 1. */
  readonly id: number
  /** The channel of the contract. */
  readonly channel: string
  /** When the connection opened, in milliseconds since the Unix epoch, by the emulator's clock. */
  readonly openedAt: number
  /** How many messages came from the client, and their total size. */
  received: number
  receivedBytes: number
  /** How many messages were sent to the client, and their total size. */
  sent: number
  sentBytes: number
  /** How many of the client's messages the contract rejected. */
  rejected: number
  /** The faults that were applied. */
  readonly faults: string[]
  /** How the connection ended; absent while it is open. */
  closed?: { at: number; code: number; reason: string; by: 'client' | 'emulator' }
}

/** A message that the contract rejected. @public */
export interface Violation {
  /** When the message was rejected, in milliseconds since the Unix epoch, by the emulator's clock. */
  readonly at: number
  /**
   * A `request` is from the caller, a `response` or `webhook` from the emulator. On a WebSocket, a `received` message is
   * from the client, and the emulator was about to send a `sent` message.
   */
  readonly direction: 'request' | 'response' | 'webhook' | 'received' | 'sent'
  /** The operation, the webhook or the channel. */
  operationId: string
  mismatches: readonly Mismatch[]
}

/** The latest 10,000 requests, connections and violations each, oldest first. */
export interface Records {
  request(record: RequestRecord): RequestRecord
  connection(record: ConnectionRecord): ConnectionRecord
  violation(violation: Violation): void
  requests(): RequestRecord[]
  connections(): ConnectionRecord[]
  violations(): Violation[]
  clear(): void
}

const KEPT = 10_000

export function createRecords(): Records {
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

/** The severity of a log entry. @public */
export type LogLevel = 'info' | 'warn' | 'error'

/** Receives the emulator's log. By default nothing is logged. @public */
export type Log = (level: LogLevel, message: string) => void

export const silentLog: Log = () => {}

/**
 * Returns the error to throw for a failed request or upgrade: the caller's abort reason, or an `EmulatorError`, which is
 * logged.
 */
export function toThrown(
  error: unknown,
  { method, path, operationId = path }: RequestRecord,
  signal: AbortSignal,
  { service, log, closing }: { service: { readonly name: string }; log: Log; closing: AbortSignal },
): unknown {
  if (signal.aborted) return signal.reason
  const thrown = closing.aborted
    ? new ConnectionBrokenError('after', CLOSED_MEANWHILE)
    : toEmulatorError(error, operationId, `The emulator failed to respond to ${method} ${path}`)
  if (thrown instanceof ConnectionBrokenError) log('info', `${service.name}: ${thrown.message}`)
  else log('error', `${service.name}: ${method} ${path}: ${describeError(thrown)}`)
  return thrown
}
