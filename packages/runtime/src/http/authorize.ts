import { bounded, type TimeLimit } from '../core/async.ts'
import { OptionsError, TimeoutError } from '../core/errors.ts'
import { createScrub, type Scrub } from '../core/redact.ts'
import type { Attempt } from './attempt.ts'
import type { Call } from './call.ts'
import type { ClientCore } from './core.ts'
import type { Credential } from './credential.ts'
import { CallersOwn, deadlineOver } from './failure.ts'
import { headerProblem, setHeader } from './headers.ts'

/** What the functions of credentials last returned. */
const latest = new WeakMap<Credential, string>()

/** Removes the credentials of a client from a text that somebody else wrote. */
export function credentialScrub({ credentials }: Pick<ClientCore, 'credentials'>): Scrub {
  const values = [...credentials.values()].map((credential) =>
    typeof credential.value === 'string' ? credential.value : latest.get(credential),
  )
  return createScrub(values.filter((value) => value !== undefined))
}

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

/**
 * Asks the credential whether a fresh value can be had in place of one that was rejected, within the deadline of the
 * call and until it is aborted.
 */
export async function isRenewed(call: Call): Promise<boolean> {
  const { core, plan, credential, operation } = call
  const refused = plan.credential?.refused
  if (refused === undefined || credential === undefined) return false
  // What may be sent only once is not sent again, even if it was rejected.
  if (operation.retry.class === 'never') return false
  const { clock } = core
  const leftMs = call.endsAtMs - clock.monotonic()
  const limit =
    leftMs > call.timeoutMs
      ? credentialLimit(core, operation.id, call.timeoutMs)
      : { clock, ms: leftMs, error: () => deadlineOver(operation.id, call, clock.monotonic()) }
  try {
    return await bounded(async () => refused(credential), { signals: call.callerSignals, limit })
  } catch (error) {
    call.isCallersOwn = true
    throw error
  }
}

/** How long a request waits for its credential: as long as an attempt may take. The refresh itself goes on. */
export function credentialLimit(core: ClientCore, operation: string, ms = core.timeoutMs): TimeLimit {
  return {
    clock: core.clock,
    ms,
    error: (elapsedMs) =>
      new TimeoutError(
        `${operation}: the credential was not renewed within ${ms} ms (timeoutMs). It may be renewed later; try again.`,
        { limitMs: ms, elapsedMs, sent: 'no' },
        { operation },
      ),
  }
}

/** The headers of a request with the credential's current value. */
export function withCredential(headers: readonly string[], credential: Credential, value: string): string[] {
  const own = [...headers]
  setHeader(own, credential.name, (credential.prefix ?? '') + value)
  return own
}
