/** One disagreement between a message and the contract. @public */
export interface Mismatch {
  /** Where in the message, as a JSON Pointer after `body`, `query`, `path`, `header` or `status`. */
  readonly path: string
  /** The requirement of the contract. */
  readonly reason: string
}

function listMismatches(mismatches: readonly Mismatch[]): string {
  return mismatches.map((mismatch) => `${mismatch.path}: ${mismatch.reason}`).join('; ')
}

/** An error of the emulator: a stable `code`, and a message that says what to do. @public */
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

/** @throws HandlerMismatchError if the handlers are not exactly the operations or channels of the contract. */
export function checkHandlers(
  service: string,
  what: 'operations' | 'channels',
  ids: readonly string[],
  handlers: Readonly<Record<string, unknown>>,
): void {
  const missing = ids.filter((id) => !Object.hasOwn(handlers, id))
  const extra = Object.keys(handlers).filter((id) => !ids.includes(id))
  if (missing.length > 0)
    throw new HandlerMismatchError(
      `The contract of ${service} has ${what} without a handler in the emulator: ${missing.join(', ')}. ${remedy(service, what, missing[0])}`,
    )
  if (extra.length > 0)
    throw new HandlerMismatchError(
      `The emulator has handlers for ${what} that the contract of ${service} doesn't have: ${extra.join(', ')}.`,
    )
}

function remedy(service: string, what: 'operations' | 'channels', id = ''): string {
  const folder = `packages/emulator/src/${service}`
  if (what === 'channels') return `Add each to \`sockets.handlers\` in ${folder}/service.ts.`
  const example = `${id}: { handle: (call) => success(200, undefined, {}) }`
  return `Add each to the table at the end of a file in ${folder}/handlers/, with the status and body of the contract: \`${example}\`.`
}

/** A choice that was replaced failed, or returned what can't be used. @public */
export class ChoiceError extends EmulatorError {
  /** The service whose choice it is. */
  readonly service: string
  /** The choice. */
  readonly choice: string
  /** The operation or channel during which it was called, or the one that the work in the background is for. */
  readonly during?: string

  constructor(
    service: string,
    choice: string,
    problem: string,
    { cause, during }: { cause?: unknown; during?: string } = {},
  ) {
    const where = during === undefined ? '' : ` during ${during}`
    const why = cause === undefined ? '' : `: ${cause instanceof Error ? cause.message : String(cause)}`
    super('choice-failed', `The choice ${choice} of ${service} ${problem}${where}${why}`, { cause })
    this.service = service
    this.choice = choice
    this.#problem = problem
    if (during !== undefined) this.during = during
  }

  readonly #problem: string

  /** The same error, with the operation or channel during which it happened. */
  at(during: string): ChoiceError {
    if (this.during !== undefined) return this
    const error = new ChoiceError(this.service, this.choice, this.#problem, { cause: this.cause, during })
    if (this.stack !== undefined) error.stack = this.stack
    return error
  }
}

/** An error as callers get it: one of the emulator's own, which names the operation if a choice failed. */
export function toEmulatorError(error: unknown, during: string, what: string): EmulatorError {
  if (error instanceof ChoiceError) return error.at(during)
  if (error instanceof EmulatorError) return error
  return new EmulatorError('handler-failed', `${what}: ${String(error)}`, { cause: error })
}

/** Returns a value that must exist. @throws EmulatorOptionsError if it doesn't. */
export function existing<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new EmulatorOptionsError(`The ${what} does not exist.`)
  return found
}

/** The advice for a message of the emulator's own that the contract rejects. */
function remedyFor(choices: readonly string[]): string {
  if (choices.length === 0) return 'This is a defect of the emulator.'
  const names = choices.map((name) => `\`${name}\``).join(', ')
  return `Replaced choices that contributed to it: ${names}. Change them so that the contract accepts the result.`
}

/** Formats an error for the log, with the stack of its cause. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : undefined
  const own = error instanceof EmulatorError ? error.message : (error.stack ?? error.message)
  return cause === undefined ? own : `${own}\n${cause}`
}

/** The emulator was about to answer with something that the contract rejects. @public */
export class ResponseRejectedError extends EmulatorError {
  /** The operation that was answered. */
  readonly operationId: string
  /** The status of the answer. */
  readonly status: number
  /** Every disagreement. */
  readonly mismatches: readonly Mismatch[]

  constructor(
    operationId: string,
    status: number,
    mismatches: readonly Mismatch[],
    choices: readonly string[] = [],
  ) {
    super(
      'response-rejected',
      `The contract rejects the emulator's ${status} response to ${operationId} (${listMismatches(mismatches)}). ${remedyFor(choices)}`,
    )
    this.operationId = operationId
    this.status = status
    this.mismatches = mismatches
  }
}

/** The emulator was about to send a message over a WebSocket that the contract rejects. @public */
export class MessageRejectedError extends EmulatorError {
  /** The channel of the contract. */
  readonly channel: string
  /** Every disagreement. */
  readonly mismatches: readonly Mismatch[]

  constructor(
    channel: string,
    key: string,
    mismatches: readonly Mismatch[],
    choices: readonly string[] = [],
  ) {
    super(
      'message-rejected',
      `The contract rejects the emulator's message ${key} on ${channel} (${listMismatches(mismatches)}). ${remedyFor(choices)}`,
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
  /** The code that transports read, as Node names it. */
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

/**
 * Rejects unknown names, so that a misspelled one is not ignored.
 *
 * @param what - What has the names, for instance `the emulator`.
 * @param kind - What the names are, for instance `option`.
 * @throws EmulatorOptionsError, which suggests the name that was probably meant.
 */
export function checkNames(given: unknown, known: readonly string[], what: string, kind = 'option'): void {
  if (typeof given !== 'object' || given === null)
    throw new EmulatorOptionsError(
      `The ${kind}s of ${what} must be an object. Valid ${kind}s: ${known.join(', ')}.`,
    )
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const meant = known.find((one) => isNear(name.toLowerCase(), one.toLowerCase()))
    throw new EmulatorOptionsError(
      `Unknown ${kind} \`${name}\` of ${what}.${meant ? ` Did you mean \`${meant}\`?` : ''} Valid ${kind}s: ${known.join(', ')}.`,
    )
  }
}

/** True if the names are within edit distance 2, and at most half of the given name. */
function isNear(given: string, known: string): boolean {
  let row = Array.from({ length: known.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...given].entries()) {
    const next = [index + 1]
    for (const [at, other] of [...known].entries()) {
      const [above = 0, left = 0, corner = 0] = [row[at + 1], next[at], row[at]]
      next.push(Math.min(above + 1, left + 1, corner + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return (row.at(-1) ?? 0) <= Math.min(2, given.length / 2)
}
