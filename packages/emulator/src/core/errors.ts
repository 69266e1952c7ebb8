/** A mismatch between the contract and a message, such as a request or a response. @public */
export interface Mismatch {
  /**
   * The location of the mismatch, for example `body/name`. It starts with the part of the message, such as `body`,
   * `query`, `path`, `header` or `status`. A JSON Pointer within that part can follow.
   */
  readonly path: string
  /** The requirement that isn't met, such as `is required`. */
  readonly reason: string
}

function listMismatches(mismatches: readonly Mismatch[]): string {
  return mismatches.map((mismatch) => `${mismatch.path}: ${mismatch.reason}`).join('; ')
}

/** The base class of the emulator's errors. The message says what to do. @public */
export class EmulatorError extends Error {
  /** A code that stays the same across versions. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** An option, a choice or an argument of a control command is invalid. @public */
export class EmulatorOptionsError extends EmulatorError {
  constructor(message: string, options?: ErrorOptions) {
    super('invalid-options', message, options)
  }
}

/** A service's handlers don't match the operations or channels of its contract. @public */
export class HandlerMismatchError extends EmulatorError {
  constructor(message: string) {
    super('handler-mismatch', message)
  }
}

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
      `The emulator has no handler for these ${what} of the ${service} contract: ${missing.join(', ')}. ${remedy(service, what, missing[0])}`,
    )
  if (extra.length > 0)
    throw new HandlerMismatchError(
      `The emulator has handlers for ${what} that are not in the ${service} contract: ${extra.join(', ')}. Remove these handlers, or correct their names.`,
    )
}

function remedy(service: string, what: 'operations' | 'channels', id = ''): string {
  const folder = `packages/emulator/src/${service}`
  if (what === 'channels') return `Add the missing handlers to \`sockets.handlers\` in ${folder}/service.ts.`
  const example = `${id}: { handle: (call) => success(200, undefined, {}) }`
  return `Add the missing handlers in ${folder}/handlers/, for example \`${example}\`. Use the status and body from the contract.`
}

/** An overridden choice threw an error or returned an invalid value. @public */
export class ChoiceError extends EmulatorError {
  /** The service that the choice belongs to. */
  readonly service: string
  /** The name of the choice. */
  readonly choice: string
  /** The operation or channel that called the choice, directly or in background work. */
  readonly during?: string

  constructor(
    service: string,
    choice: string,
    problem: string,
    { cause, during }: { cause?: unknown; during?: string } = {},
  ) {
    const subject = during === undefined ? 'The choice' : `During \`${during}\`, the choice`
    const why = cause === undefined ? '' : `: ${cause instanceof Error ? cause.message : String(cause)}`
    super('choice-failed', `${subject} \`${choice}\` of \`${service}\` ${problem}${why}`, { cause })
    this.service = service
    this.choice = choice
    this.#problem = problem
    if (during !== undefined) this.during = during
  }

  readonly #problem: string

  /** Returns a copy of this error with `during` set, or this error itself if its `during` is already set. */
  at(during: string): ChoiceError {
    if (this.during !== undefined) return this
    const error = new ChoiceError(this.service, this.choice, this.#problem, { cause: this.cause, during })
    if (this.stack !== undefined) error.stack = this.stack
    return error
  }
}

/** Converts any thrown value to an `EmulatorError`. Adds the operation or channel (`during`) to a `ChoiceError`. */
export function toEmulatorError(error: unknown, during: string, messagePrefix: string): EmulatorError {
  if (error instanceof ChoiceError) return error.at(during)
  if (error instanceof EmulatorError) return error
  return new EmulatorError('handler-failed', `${messagePrefix}: ${String(error)}`, { cause: error })
}

export function required<T>(found: T | undefined, name: string): T {
  if (found === undefined) throw new EmulatorOptionsError(`Unknown ${name}.`)
  return found
}

function remedyFor(choices: readonly string[]): string {
  if (choices.length === 0) return 'This is a bug in the emulator.'
  const names = choices.map((name) => `\`${name}\``).join(', ')
  return `Overridden choices that contributed to it: ${names}. Change them so that the contract accepts the result.`
}

/** Formats an error for the log, with the stack of its cause. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : undefined
  const own = error instanceof EmulatorError ? error.message : (error.stack ?? error.message)
  return cause === undefined ? own : `${own}\n${cause}`
}

/** The emulator was about to send a response that the contract rejects. @public */
export class ResponseRejectedError extends EmulatorError {
  /** The operation that was called. */
  readonly operationId: string
  /** The status of the response. */
  readonly status: number
  /** Every mismatch. */
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

/** The emulator was about to send a WebSocket message that the contract rejects. @public */
export class MessageRejectedError extends EmulatorError {
  /** The name of the channel in the contract. */
  readonly channel: string
  /** Every mismatch. */
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

const PHASES = {
  before: 'before the request was handled',
  after: 'after the request was handled',
  'mid-body': 'in the middle of the response body',
} as const

/** The message of a {@link ConnectionBrokenError} that no fault caused. */
export const CLOSED_MEANWHILE = 'The emulator was closed while it responded.'

/**
 * The connection broke because of an injected fault, or because the emulator was closed. A caller in the same
 * process gets this error. For a caller over the network, the socket is destroyed instead.
 *
 * @public
 */
export class ConnectionBrokenError extends EmulatorError {
  /** The same as `code`, for HTTP transports that check `errno`. */
  readonly errno = 'ECONNRESET'
  /** Whether the service saw the request before the connection broke. */
  readonly requestSeen: boolean
  /** When the connection broke: before or after the request was handled, or in the middle of the response body. */
  readonly phase: 'before' | 'after' | 'mid-body'

  constructor(
    phase: 'before' | 'after' | 'mid-body',
    message = `An injected fault broke the connection (${PHASES[phase]}).`,
  ) {
    super('ECONNRESET', message)
    this.phase = phase
    this.requestSeen = phase !== 'before'
  }
}

/**
 * Rejects unknown names, so that a typo is never ignored.
 *
 * @param what - The owner of the names, such as `the emulator`.
 * @param kind - The kind of the names, such as `option`.
 * @throws EmulatorOptionsError if `given` isn't an object, or has an unknown name.
 */
export function checkNames(given: unknown, known: readonly string[], what: string, kind = 'option'): void {
  if (typeof given !== 'object' || given === null)
    throw new EmulatorOptionsError(
      `Pass the ${kind}s of ${what} as an object. Valid ${kind}s: ${known.join(', ')}.`,
    )
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const meant = known.find((one) => isNear(name.toLowerCase(), one.toLowerCase()))
    throw new EmulatorOptionsError(
      `Unknown ${kind} \`${name}\` of ${what}.${meant ? ` Did you mean \`${meant}\`?` : ''} Valid ${kind}s: ${known.join(', ')}.`,
    )
  }
}

/** Whether the edit distance is at most 2, and at most half the length of the given name. */
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
