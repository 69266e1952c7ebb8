import type { Scrub } from './redact.ts'

/** The stable codes of {@link ConcordError.code}. Services add none: they extend a class and keep its code. @public */
export type ConcordErrorCode =
  | 'invalid-request'
  | 'invalid-options'
  | 'http'
  | 'unexpected-content'
  | 'contract-drift'
  | 'connection'
  | 'timeout'
  | 'deadline'
  | 'submission-uncertain'
  | 'operation-failed'
  | 'download'
  | 'authorization-denied'
  | 'authorization-expired'
  | 'authorization-failed'
  | 'session-lost'
  | 'socket-denied'
  | 'socket-closed'
  | 'socket-overflow'
  | 'database'

/** Options of every error in the catalog. @public */
export interface ConcordErrorOptions {
  /** The operationId of the call that failed. */
  readonly operation?: string | undefined
  /** The error that led to this one. Foreign errors are reduced to name, message, stack and code; see `safeCause`. */
  readonly cause?: unknown
}

const LINEAGE = Symbol.for('@concord/runtime/error-lineage')

/** A class whose `is` recognizes its instances from any copy of this package. @public */
export interface ConcordErrorClass<Instance> {
  readonly prototype: Instance
  readonly errorName: string
}

/**
 * The base of every error that a Concord client throws, except the caller's own `signal.reason` on abort.
 *
 * Nothing secret is an enumerable property: bodies and headers are reachable by name, but stay out of
 * `inspect`, `JSON.stringify`, `String` and the stack.
 *
 * @public
 */
export abstract class ConcordError extends Error {
  /**
   * The name that `is` compares. A subclass outside this package sets its own, prefixed with the name of its service.
   */
  static readonly errorName: string = 'ConcordError'

  /** The kind of failure; stable across versions. */
  readonly code: ConcordErrorCode
  /** The operationId of the call that failed, if any. */
  declare readonly operation?: string

  protected constructor(code: ConcordErrorCode, message: string, options: ConcordErrorOptions = {}) {
    super(message)
    this.code = code
    if (options.operation !== undefined) this.operation = options.operation
    if (options.cause !== undefined) {
      const cause = safeCause(options.cause, undefined, (value) => ConcordError.is(value))
      Object.defineProperty(this, 'cause', { value: cause, writable: true, configurable: true })
    }
  }

  /**
   * Returns true if the value is an instance of this class or a subclass, even if another copy of the package created
   * it.
   */
  static is<Instance>(this: ConcordErrorClass<Instance>, value: unknown): value is Instance {
    if (typeof value !== 'object' || value === null) return false
    // Without this check, a subclass that has no name of its own would match all instances of its parent.
    if (!Object.hasOwn(this, 'errorName')) return value instanceof (this as unknown as typeof Error)
    const lineage: unknown = (value as Record<symbol, unknown>)[LINEAGE]
    return Array.isArray(lineage) && lineage.includes(this.errorName)
  }

  override get name(): string {
    return (this.constructor as typeof ConcordError).errorName
  }

  get [LINEAGE](): readonly string[] {
    const names: string[] = []
    let current: unknown = this.constructor
    while (typeof current === 'function' && current !== Function.prototype) {
      if (Object.hasOwn(current, 'errorName')) names.push((current as typeof ConcordError).errorName)
      current = Object.getPrototypeOf(current)
    }
    return names
  }

  /** A form that is safe to log: name, message and the properties that hold no contents. */
  toJSON(): Record<string, unknown> {
    const json: Record<string, unknown> = { name: this.name, message: this.message }
    for (const [key, value] of Object.entries(this)) json[key] = value
    if (ConcordError.is(this.cause)) json['cause'] = (this.cause as ConcordError).toJSON()
    return json
  }
}

/** The properties of a foreign error that are safe to keep: they hold names and numbers, never contents. */
const KEPT_PROPERTIES = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'] as const

/**
 * Copies a foreign error so that it is safe to carry as a `cause`: its name, its scrubbed message and stack, and the
 * few properties that are known to hold no contents. Returns an error unchanged if `keep` returns true for it.
 *
 * @public
 */
export function safeCause(
  cause: unknown,
  scrub: Scrub = (text) => text,
  keep: (cause: object) => boolean = () => false,
  depth = 0,
): unknown {
  if (cause === undefined || cause === null) return cause
  if (typeof cause !== 'object') return typeof cause === 'string' ? scrub(cause) : `[${typeof cause}]`
  if (keep(cause)) return cause
  if (!(cause instanceof Error)) return `[${Object.prototype.toString.call(cause).slice(8, -1)}]`
  const copy = new Error(scrub(String(cause.message)))
  define(copy, 'name', scrub(String(cause.name)))
  define(copy, 'stack', scrub(String(cause.stack ?? '')))
  const source = cause as unknown as Record<string, unknown>
  for (const property of KEPT_PROPERTIES) {
    const value = source[property]
    if (typeof value === 'number') define(copy, property, value, true)
    if (typeof value === 'string') define(copy, property, scrub(value), true)
  }
  if (depth < 4 && cause.cause !== undefined) {
    define(copy, 'cause', safeCause(cause.cause, scrub, keep, depth + 1))
  }
  return copy
}

function define(target: Error, name: string, value: unknown, enumerable = false): void {
  Object.defineProperty(target, name, { value, enumerable, writable: true, configurable: true })
}
