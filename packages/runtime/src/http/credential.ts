import { bounded, type TimeLimit } from '../core/async.ts'
import type { Clock } from '../core/clock.ts'
import { OptionsError, TimeoutError } from '../core/errors.ts'
import { type Attempt, CallersOwn } from './attempt.ts'
import { headerProblem, setHeader } from './headers.ts'

/**
 * How a security scheme of the contract is met: which header, and where its value comes from.
 *
 * @public
 */
export interface Credential {
  readonly in: 'header'
  /** The header's name. */
  readonly name: string
  /** Stands before the value: `'Bearer '`, `'Token '`. Default: nothing. */
  readonly prefix?: string
  /** The secret itself, or a function that gives it; the function is called for every request. */
  readonly value: string | (() => string | Promise<string>)
  /**
   * Called when a 401 refused this value. Answering `true` says that a fresh one is to be had: the call is then
   * sent once more, with a value read anew. Without it a 401 is final.
   */
  readonly refused?: (value: string) => boolean | Promise<boolean>
}

/** The values that the functions of credentials last returned. */
export const latest = new WeakMap<Credential, string>()

/** Checks a secret before it becomes a header; the error does not quote it. */
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

/** Reads the secret of a request. What the caller's function throws goes to the caller unchanged. */
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

/** How long a request waits for its credential: as long as an attempt may take. The refresh itself goes on. */
export function credentialLimit(clock: Clock, operation: string, ms: number): TimeLimit {
  return {
    clock,
    ms,
    error: (elapsedMs) =>
      new TimeoutError(
        `${operation}: the credential was not renewed within ${ms} ms (timeoutMs). It may be renewed later; try again.`,
        { limitMs: ms, elapsedMs, sent: 'no' },
        { operation },
      ),
  }
}
