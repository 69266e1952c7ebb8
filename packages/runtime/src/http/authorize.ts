import { OptionsError } from '../core/errors.ts'
import { Attempt, EXPIRED, release } from './attempt.ts'
import type { ClientCore } from './core.ts'
import type { Credential } from './credential.ts'
import { CallersOwn, deadlineOver, type TimeFrame } from './failure.ts'
import { headerProblem, setHeader } from './headers.ts'
import type { Plan } from './prepare.ts'

/** Checks a secret before it becomes a header; the error does not quote it. */
export function checkCredentialValue(credential: Credential, value: unknown, option: string): string {
  const whole = typeof value === 'string' ? (credential.prefix ?? '') + value : value
  const problem = value === '' || value === undefined ? 'is empty' : headerProblem(credential.name, whole)
  if (problem === undefined) return value as string
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
  return untilCancelled(reading, attempt).then((secret) =>
    checkCredentialValue(credential, secret, 'credentials'),
  )
}

/** The caller's function may take its time; an abort or the time limit does not wait for it. */
function untilCancelled<T>(work: Promise<T>, attempt: Attempt): Promise<T> {
  return new Promise((resolve, reject) => {
    attempt.onCancel(reject)
    work.then(resolve, (error: unknown) => reject(new CallersOwn(error)))
  })
}

/**
 * Asks the credential whether a fresh value is to be had in place of one that was refused. The caller's signals
 * and the deadline hold here as well.
 */
export async function isRenewed(
  core: ClientCore,
  plan: Plan,
  credential: string | undefined,
  signals: readonly AbortSignal[],
  frame: TimeFrame,
): Promise<boolean> {
  const refused = plan.credential?.refused
  if (refused === undefined || credential === undefined) return false
  // What may be sent once only is not sent again, even when it was refused.
  if (plan.operation.retry.class === 'never') return false
  const attempt = new Attempt()
  const nowMs = core.clock.monotonic()
  const { deadlineMs, callBeganMs } = frame
  attempt.follow(signals)
  if (deadlineMs !== undefined) core.limits.add(attempt, Math.max(0, callBeganMs + deadlineMs - nowMs), nowMs)
  try {
    return await untilCancelled(Promise.resolve(refused(credential)), attempt)
  } catch (error) {
    if (attempt.cancelled && attempt.reason === EXPIRED) {
      throw deadlineOver(plan.operation.id, frame, core.clock.monotonic())
    }
    throw error instanceof CallersOwn ? error.error : error
  } finally {
    release(core, attempt)
  }
}

/** The headers of a request with the credential's current value. */
export function withCredential(headers: readonly string[], credential: Credential, value: string): string[] {
  const own = [...headers]
  setHeader(own, credential.name, (credential.prefix ?? '') + value)
  return own
}
