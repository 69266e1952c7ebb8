/** One disagreement between a message and the contract. @public */
export interface Mismatch {
  /** Where in the message, as a JSON Pointer after `body`, `query`, `path`, `header` or `status`. */
  path: string
  /** What the contract asks for. */
  reason: string
}

function listMismatches(mismatches: readonly Mismatch[]): string {
  return mismatches.map((mismatch) => `${mismatch.path}: ${mismatch.reason}`).join('; ')
}

/** What the emulator throws: a stable `code`, and a message that says what to do. @public */
export class EmulatorError extends Error {
  /** A stable code. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** An option, a choice or a control command is not usable. @public */
export class EmulatorOptionsError extends EmulatorError {
  constructor(message: string, options?: ErrorOptions) {
    super('invalid-options', message, options)
  }
}

/** The handlers of a service and the operations of its contract are not the same set. @public */
export class HandlerMismatchError extends EmulatorError {
  constructor(message: string) {
    super('handler-mismatch', message)
  }
}

/** The emulator was about to answer with something that the contract refuses. @public */
export class ResponseRefusedError extends EmulatorError {
  /** The operation that was answered. */
  readonly operationId: string
  /** The status of the answer. */
  readonly status: number
  /** Every disagreement. */
  readonly mismatches: readonly Mismatch[]

  constructor(operationId: string, status: number, mismatches: readonly Mismatch[]) {
    super(
      'response-refused',
      `The contract refuses the emulator's ${status} answer to ${operationId} (${listMismatches(mismatches)}). Mend the handler or the choice that made it.`,
    )
    this.operationId = operationId
    this.status = status
    this.mismatches = mismatches
  }
}

/** The emulator was about to send a message over a WebSocket that the contract refuses. @public */
export class MessageRefusedError extends EmulatorError {
  /** The channel of the contract. */
  readonly channel: string
  /** Every disagreement. */
  readonly mismatches: readonly Mismatch[]

  constructor(channel: string, key: string, mismatches: readonly Mismatch[]) {
    super(
      'message-refused',
      `The contract refuses the emulator's message ${key} on ${channel} (${listMismatches(mismatches)}). Mend the handler or the choice that made it.`,
    )
    this.channel = channel
    this.mismatches = mismatches
  }
}

/**
 * A connection that broke because a fault asked for it. In process it is thrown; over a socket the socket is
 * destroyed.
 *
 * @public
 */
export class ConnectionBrokenError extends EmulatorError {
  /** What a transport looks at, as Node names it. */
  readonly errno = 'ECONNRESET'
  /** Whether the service saw the request before the connection broke. */
  readonly requestSeen: boolean
  /** Where in the exchange it broke. */
  readonly phase: 'before' | 'after' | 'mid-body'

  constructor(phase: 'before' | 'after' | 'mid-body') {
    super('ECONNRESET', `The connection was broken (${phase}) because a fault asked for it.`)
    this.phase = phase
    this.requestSeen = phase !== 'before'
  }
}
