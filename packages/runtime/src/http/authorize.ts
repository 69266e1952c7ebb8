import { bounded, type Bounds, isPromise, type TimeLimit } from '../core/async.ts'
import type { Clock } from '../core/clock.ts'
import { OptionsError, TimeoutError } from '../core/errors.ts'
import { type Attempt, CallerError } from './attempt.ts'
import { type Credential, PLACES, placeProblem } from './credential.ts'
import { callCaller } from '../retry/caller-errors.ts'
import { setHeader } from './headers.ts'

/** The values that credential functions returned most recently. */
export const latest = new WeakMap<Credential, string>()

/** Validates a secret before it is sent; the error does not quote it. */
export function checkCredentialValue(credential: Credential, value: unknown, option: string): string {
  const whole = typeof value === 'string' ? (credential.prefix ?? '') + value : value
  const problem = value === '' || value === undefined ? 'is empty' : placeProblem(credential, whole)
  if (problem === undefined) {
    if (typeof credential.value === 'function') latest.set(credential, value as string)
    return value as string
  }
  throw new OptionsError(
    option,
    `has a value for the ${PLACES[credential.in]} ${credential.name} that cannot be sent: it ${problem}.`,
    'Pass the secret exactly as the service issued it, without line ends or quotes.',
  )
}

/** Reads the secrets of a request, in the order of its credentials. An error of the caller's function passes unchanged. */
export function readCredentials(
  credentials: readonly Credential[],
  attempt: Attempt,
): readonly string[] | Promise<readonly string[]> {
  const readings = credentials.map((credential) => readCredential(credential, attempt))
  return readings.some(isPromise) ? Promise.all(readings) : (readings as string[])
}

function readCredential(credential: Credential, attempt: Attempt): string | Promise<string> {
  const { value } = credential
  if (typeof value === 'string') return value
  let reading: string | Promise<string>
  try {
    reading = value()
  } catch (error) {
    throw new CallerError(error)
  }
  if (typeof reading !== 'object') return checkCredentialValue(credential, reading, 'credentials')
  const own = reading.catch((error: unknown) => {
    throw new CallerError(error)
  })
  return bounded(own, { signals: [attempt.signal] }).then((secret) =>
    checkCredentialValue(credential, secret, 'credentials'),
  )
}

/** The path and the headers of a request. */
export interface Addressed {
  /** Ends with the query, if any. */
  readonly path: string
  readonly headers: readonly string[]
}

/** Returns a request with the current values of its credentials. */
export function withCredentials(
  { path, headers }: Addressed,
  credentials: readonly Credential[],
  values: readonly string[],
): Addressed {
  const own = [...headers]
  let whole = path
  for (const [index, { in: place, name, prefix = '' }] of credentials.entries()) {
    const value = prefix + values[index]
    if (place === 'header') setHeader(own, name, value)
    else if (place === 'cookie') addCookie(own, `${name}=${value}`)
    else whole += `${whole.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  }
  return { path: whole, headers: own }
}

/** Adds a cookie to those that a request already has: RFC 6265, section 4.2.1. */
function addCookie(headers: string[], pair: string): void {
  const before = headers.indexOf('cookie')
  setHeader(headers, 'cookie', before % 2 === 0 ? `${headers[before + 1]}; ${pair}` : pair)
}

/**
 * Asks the sources for fresh secrets after a 401. Returns true if at least one has one, so that the request can be sent
 * once more; a caller does that once per request.
 */
export async function renewCredentials(
  credentials: readonly Credential[],
  secrets: readonly string[],
  bounds: Bounds = {},
): Promise<boolean> {
  const renewed = await bounded(
    async () =>
      Promise.all(
        credentials.map((credential, index) =>
          callCaller(() => credential.rejected?.(secrets[index] ?? '') ?? false, 'denied'),
        ),
      ),
    bounds,
  )
  return renewed.includes(true)
}

/** Returns how long a request waits for its credential: as long as an attempt may take. A refresh itself continues. */
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
