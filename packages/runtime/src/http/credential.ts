import { bounded, type Bounds, isPromise, type TimeLimit } from '../core/async.ts'
import type { Clock } from '../core/clock.ts'
import { OptionsError, TimeoutError } from '../core/errors.ts'
import { REDACTED } from '../core/redact.ts'
import { type Attempt, CallersOwn } from './attempt.ts'
import { headerProblem, setHeader } from './headers.ts'

/**
 * The credential for a security scheme of the contract: its header, and the source of its value.
 *
 * @public
 */
export interface Credential {
  readonly in: 'header'
  /** The header's name. */
  readonly name: string
  /** Added before the value: `'Bearer '`, `'Token '`. Default: nothing. */
  readonly prefix?: string
  /** The secret itself, or a function that returns it; the function is called for every request. */
  readonly value: string | (() => string | Promise<string>)
  /**
   * Called if the service rejected this value with a 401. Return `true` if a fresh one is available: the call is then
   * sent once more, with the value read again. Without it, a 401 is final.
   */
  readonly refused?: (value: string) => boolean | Promise<boolean>
}

/** The values that credential functions returned most recently. */
export const latest = new WeakMap<Credential, string>()

/** Validates a secret before it becomes a header; the error does not quote it. */
export function checkCredentialValue(credential: Credential, value: unknown, option: string): string {
  const whole = typeof value === 'string' ? (credential.prefix ?? '') + value : value
  const problem = value === '' || value === undefined ? 'is empty' : headerProblem(credential.name, whole)
  if (problem === undefined) {
    if (typeof credential.value === 'function') latest.set(credential, value as string)
    return value as string
  }
  throw new OptionsError(
    option,
    `\`${option}\` has a value for the header ${credential.name} that cannot be sent: it ${problem}.`,
    'Pass the secret exactly as the service issued it, without line ends or quotes.',
  )
}

/** Reads the secret of a request. An error of the caller's function passes unchanged. */
export function readCredential(credential: Credential, attempt: Attempt): string | Promise<string> {
  const { value } = credential
  if (typeof value === 'string') return value
  let reading: string | Promise<string>
  try {
    reading = value()
  } catch (error) {
    throw new CallersOwn(error)
  }
  if (typeof reading !== 'object') return checkCredentialValue(credential, reading, 'credentials')
  const own = reading.catch((error: unknown) => {
    throw new CallersOwn(error)
  })
  return bounded(own, { signals: [attempt.signal] }).then((secret) =>
    checkCredentialValue(credential, secret, 'credentials'),
  )
}

/** The headers of a request with the credential's current value. */
export function withCredential(headers: readonly string[], credential: Credential, value: string): string[] {
  const own = [...headers]
  setHeader(own, credential.name, (credential.prefix ?? '') + value)
  return own
}

/**
 * Asks the source for a fresh secret after a 401. Returns true if the request can be sent once more; a caller does that
 * once per request.
 */
export async function renewCredential(
  credential: Credential | undefined,
  rejected: string | undefined,
  bounds: Bounds = {},
): Promise<boolean> {
  const refused = credential?.refused
  if (refused === undefined || rejected === undefined) return false
  return bounded(async () => refused(rejected), bounds)
}

/** How long a request waits for its credential: as long as an attempt may take. A refresh itself continues. */
export function credentialLimit(clock: Clock, operation: string, ms: number): TimeLimit {
  return {
    clock,
    ms,
    error: (elapsedMs) =>
      new TimeoutError(
        `${operation}: the credential was not refreshed within ${ms} ms (timeoutMs). It may be refreshed later; try again.`,
        { limitMs: ms, elapsedMs, sent: 'no' },
        { operation },
      ),
  }
}

/** A store of a secret, which is read for every request. @public */
export interface SecretStore {
  get(): string | null | undefined | Promise<string | null | undefined>
  /**
   * Called if the service rejected this secret with a 401. Return `true` if {@link SecretStore.get} returns another one
   * now: the call is then sent once more. Without it, a 401 is final.
   */
  refused?(secret: string): boolean | Promise<boolean>
}

/**
 * The source of a secret: the secret itself, a function that returns it, or a store. Functions and stores are called
 * for every request, so that a changed secret takes effect with the next one.
 *
 * @public
 */
export type SecretSource = string | (() => string | Promise<string>) | SecretStore

/** How a secret is sent. @public */
export interface SecretHeader {
  /** The name of the header. */
  readonly name: string
  /** Added before the secret: `'Bearer '`, `'Token '`. Default: nothing. */
  readonly prefix?: string
}

/**
 * Sends an API key in its own header.
 *
 * @param option The name of the client's option, for errors.
 * @throws OptionsError if the key is missing or can't be sent.
 * @public
 */
export function apiKeyCredential(
  source: SecretSource | undefined,
  header: string,
  option = 'apiKey',
): Credential {
  return secretCredential(source, { name: header }, option)
}

/** Sends a secret as `Authorization: Bearer ...` (RFC 6750). See {@link apiKeyCredential}. @public */
export function bearerCredential(source: SecretSource | undefined, option = 'apiSecret'): Credential {
  return secretCredential(source, { name: 'authorization', prefix: 'Bearer ' }, option)
}

/** Sends a key as `Authorization: Token ...`. See {@link apiKeyCredential}. @public */
export function tokenCredential(source: SecretSource | undefined, option = 'apiKey'): Credential {
  return secretCredential(source, { name: 'authorization', prefix: 'Token ' }, option)
}

/** Sends a secret in any header. See {@link apiKeyCredential}. @public */
export function secretCredential(
  source: SecretSource | undefined,
  header: SecretHeader,
  option: string,
): Credential {
  return new SecretCredential(source, header, option)
}

/** Its inspection shows everything but the secret. */
class SecretCredential implements Credential {
  readonly in = 'header'
  readonly name: string
  declare readonly prefix?: string
  declare readonly refused?: (value: string) => boolean | Promise<boolean>
  readonly #value: string | (() => string | Promise<string>)

  constructor(source: SecretSource | undefined, { name, prefix }: SecretHeader, option: string) {
    this.name = name
    if (prefix !== undefined) this.prefix = prefix
    const check = (value: unknown): string => checkSecret(value, { name, prefix: prefix ?? '' }, option)
    const read = readerOf(source)
    const renew = renewerOf(source)
    if (renew !== undefined) Object.defineProperty(this, 'refused', { value: renew })
    this.#value =
      read === undefined
        ? check(source)
        : () => {
            const value = read()
            return isPromise<unknown>(value) ? value.then(check) : check(value)
          }
  }

  get value(): string | (() => string | Promise<string>) {
    return this.#value
  }

  toJSON(): Record<string, unknown> {
    return { in: this.in, name: this.name, prefix: this.prefix, value: REDACTED }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Credential ${JSON.stringify(this)}`
  }
}

function readerOf(source: SecretSource | undefined): (() => unknown) | undefined {
  if (typeof source === 'function') return source
  // The store stays a store: its `get` may depend on `this`.
  if (typeof source === 'object' && source !== null && typeof source.get === 'function')
    return () => source.get()
  return undefined
}

function renewerOf(
  source: SecretSource | undefined,
): ((value: string) => boolean | Promise<boolean>) | undefined {
  if (typeof source !== 'object' || source === null || typeof source.refused !== 'function') return undefined
  return (value) => source.refused?.(value) ?? false
}

/** The messages never quote the secret, not even in part. */
function checkSecret(value: unknown, header: Required<SecretHeader>, option: string): string {
  const problem = secretProblem(value, header)
  if (problem === undefined) return value as string
  throw new OptionsError(option, `\`${option}\` ${problem.what}`, problem.remedy)
}

function secretProblem(
  value: unknown,
  { name, prefix }: Required<SecretHeader>,
): { readonly what: string; readonly remedy: string } | undefined {
  const asHandedOut = 'Pass the secret exactly as the service issued it.'
  if (value === undefined || value === null) {
    return { what: 'is missing.', remedy: 'Pass the secret as a string, a function, or a store with get().' }
  }
  if (typeof value !== 'string') {
    return {
      what: 'must be a string.',
      remedy: 'Pass the secret as a string, a function, or a store with get().',
    }
  }
  if (value === '') return { what: 'is empty.', remedy: asHandedOut }
  if (/[\r\n]/.test(value)) {
    return {
      what: 'contains a line end.',
      remedy: 'Remove it; a secret read from a file often ends in one.',
    }
  }
  if (value.trim() !== value) return { what: 'begins or ends with white space.', remedy: 'Remove it.' }
  if (prefix !== '' && value.toLowerCase().startsWith(prefix.toLowerCase())) {
    return { what: `begins with '${prefix.trim()}', which is added automatically.`, remedy: asHandedOut }
  }
  if (headerProblem(name, prefix + value) !== undefined) {
    return {
      what: `contains a character that is not allowed in the header ${name}.`,
      remedy: asHandedOut,
    }
  }
  return undefined
}
