import {
  CLOSED_MEANWHILE,
  ConnectionBrokenError,
  describeError,
  toEmulatorError,
  type Mismatch,
} from './errors.ts'

/**
 * A request that the emulator received. Its headers, query and body are left out, because they may contain secrets.
 *
 * @public
 */
export interface RequestRecord {
  /** When the request arrived, in milliseconds since the Unix epoch, by the emulator's clock. */
  readonly at: number
  readonly method: string
  /** The URL's path, not decoded and without the query. */
  readonly path: string
  /** The operation or channel that the request is for; absent if the request matches neither. */
  operationId?: string
  /**
   * The status of the response; absent until the emulator has a response. If a fault later changes or breaks the
   * response, this field keeps the original status.
   */
  status?: number
  /** The kinds of the faults that were applied. */
  readonly faults: string[]
  /** The mismatches between the request and the contract. */
  mismatches: readonly Mismatch[]
}

/**
 * A WebSocket connection. Its headers, query and messages are left out, because they may contain secrets.
 *
 * @public
 */
export interface ConnectionRecord {
  /** The connection's number, counted from 1. */
  readonly id: number
  /** The name of the channel in the contract. */
  readonly channel: string
  /** When the connection opened, in milliseconds since the Unix epoch, by the emulator's clock. */
  readonly openedAt: number
  /** How many messages the client sent, and their total size. */
  received: number
  receivedBytes: number
  /** How many messages the emulator sent, and their total size. */
  sent: number
  sentBytes: number
  /** How many of the client's messages the contract rejected. */
  rejected: number
  /** The kinds of the faults that were applied. */
  readonly faults: string[]
  /** How the connection ended; absent while it is open. */
  closed?: { at: number; code: number; reason: string; by: 'client' | 'emulator' }
}

/** A request, response, webhook, WebSocket handshake or WebSocket message that the contract rejected. @public */
export interface Violation {
  /** When the contract rejected it, in milliseconds since the Unix epoch, by the emulator's clock. */
  readonly at: number
  /**
   * `request`: an HTTP request. `received`: a handshake or message from a WebSocket client. `response`, `webhook`
   * and `sent`: a response, a webhook or a WebSocket message that the emulator was about to send.
   */
  readonly direction: 'request' | 'response' | 'webhook' | 'received' | 'sent'
  /** The id of the operation, webhook or channel. */
  operationId: string
  mismatches: readonly Mismatch[]
}

/** The latest records, oldest first: at most 10,000 requests, 10,000 connections and 10,000 violations. */
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

/** A function that receives each entry of the emulator's log. By default, the emulator logs nothing. @public */
export type Log = (level: LogLevel, message: string) => void

export const silentLog: Log = () => {}

/**
 * Returns the error to throw for a failed request or upgrade: the abort reason if the caller aborted the request,
 * otherwise an `EmulatorError`.
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
