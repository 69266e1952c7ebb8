import { expect, it } from 'vitest'
import {
  ConcordError,
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  OptionsError,
  RequestInvalidError,
  SocketError,
  SubmissionUncertainError,
  TimeoutError,
} from '../core/errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { httpError } from '../poll/test-support/scripted-service.ts'
import { type VirtualClock, virtualClock } from '../testing/virtual-clock.ts'
import {
  backoffMs,
  classifyPollFailure,
  isAboutRequest,
  isTransient,
  isTransientStatus,
  mayRetry,
  type Retried,
  retry,
  retryAfterOf,
  retryEvent,
  type RetryUse,
} from './retry.ts'
import { unreadable } from './test-support/foreign-errors.ts'

interface Scene {
  readonly clock: VirtualClock
  /** The times of the attempts. */
  readonly attemptsMs: number[]
  readonly delaysMs: number[]
  readonly job: Retried<string>
}

/** A job whose attempts fail with these errors, one after the other, and then succeed. */
function scene(failures: readonly unknown[], terms: Partial<Retried<string>> = {}): Scene {
  const clock = virtualClock()
  const attemptsMs: number[] = []
  const delaysMs: number[] = []
  const job: Retried<string> = {
    clock,
    random: () => 0.5,
    backoff: { baseMs: 1000, capMs: 4000 },
    again: () => true,
    onRetry: ({ delayMs }) => void delaysMs.push(delayMs),
    async attempt() {
      attemptsMs.push(clock.elapsedMs)
      const failure = failures[attemptsMs.length - 1]
      if (failure !== undefined) throw failure
      return 'done'
    },
    ...terms,
  }
  return { clock, attemptsMs, delaysMs, job }
}

const broken = new Error('broken')

it('R-22: retries with full jitter between attempts, doubled up to the cap', async () => {
  const { job, attemptsMs, delaysMs } = scene([broken, broken, broken, broken])
  expect(await retry(job)).toBe('done')
  expect(delaysMs).toEqual([500, 1000, 2000, 2000])
  expect(attemptsMs).toEqual([0, 500, 1500, 3500, 5500])
})

it('R-22: the back-off is a number, however many failures there were', () => {
  for (const baseMs of [0, 500])
    expect(backoffMs(5_000, { baseMs, capMs: 20_000 }, () => 1)).toBe(baseMs === 0 ? 0 : 20_000)
})

it('asks `again` about each failure once, and throws the error if another attempt cannot help', async () => {
  const asked: unknown[] = []
  const final = new Error('final')
  const { job } = scene([broken, final], { again: (error) => (asked.push(error), error !== final) })
  expect(await rejection(retry(job))).toBe(final)
  expect(asked).toEqual([broken, final])
})

it('makes at most maxAttempts attempts, and throws the error that lastError returns for the last failure', async () => {
  const { job, attemptsMs } = scene([broken, broken, broken], {
    maxAttempts: 2,
    lastError: (error) => new Error('given up', { cause: error }),
  })
  expect(await rejection(retry(job))).toMatchObject({ message: 'given up', cause: broken })
  expect(attemptsMs).toHaveLength(2)
})

it('R-23: a retry waits for Retry-After or for the back-off, whichever is longer', async () => {
  const { job, delaysMs } = scene([httpError(503, 7000), httpError(503, 0), httpError(503, 100)])
  await retry(job)
  expect(delaysMs).toEqual([7000, 1000, 2000])
})

it('R-23: a Retry-After above the limit throws the error at once; one at the limit is waited for', async () => {
  const tooLong = scene([httpError(503, 5001)], { maxRetryAfterMs: 5000 })
  expect(await rejection(retry(tooLong.job))).toMatchObject({ retryAfterMs: 5001 })
  expect(tooLong.clock.elapsedMs).toBe(0)
  const { job, delaysMs } = scene([httpError(503, 5000)], { maxRetryAfterMs: 5000 })
  await retry(job)
  expect(delaysMs).toEqual([5000])
})

it('waits at least minDelayMs before a retry', async () => {
  const { job, delaysMs } = scene([broken, broken], { minDelayMs: 800 })
  await retry(job)
  expect(delaysMs).toEqual([800, 1000])
})

it('throws the error at once instead of waiting past the deadline', async () => {
  const reached = scene([broken])
  Object.assign(reached.job, { endsAtMs: reached.clock.monotonic() + 500 })
  expect(await rejection(retry(reached.job))).toBe(broken)
  expect(reached.clock.elapsedMs).toBe(0)
  const before = scene([broken])
  Object.assign(before.job, { endsAtMs: before.clock.monotonic() + 501 })
  expect(await retry(before.job)).toBe('done')
})

it('lastAttemptAtEnd shortens one back-off so that it ends at the deadline, but never a Retry-After', async () => {
  const clipped = scene([broken, broken, broken])
  Object.assign(clipped.job, { endsAtMs: clipped.clock.monotonic() + 900, lastAttemptAtEnd: true })
  expect(await rejection(retry(clipped.job))).toBe(broken)
  expect(clipped.attemptsMs).toEqual([0, 500, 900])
  const asked = scene([httpError(503, 901)])
  Object.assign(asked.job, { endsAtMs: asked.clock.monotonic() + 900, lastAttemptAtEnd: true })
  await rejection(retry(asked.job))
  expect(asked.attemptsMs).toEqual([0])
  const inTime = scene([httpError(503, 900)])
  Object.assign(inTime.job, { endsAtMs: inTime.clock.monotonic() + 900, lastAttemptAtEnd: true })
  expect(await retry(inTime.job)).toBe('done')
  expect(inTime.attemptsMs).toEqual([0, 900])
})

it('R-24: stops retrying when the budget is empty', async () => {
  let tokens = 1
  const { job, attemptsMs } = scene([broken, broken, broken], { budget: { withdraw: () => tokens-- > 0 } })
  expect(await rejection(retry(job))).toBe(broken)
  expect(attemptsMs).toHaveLength(2)
})

it('R-24: spends no budget on a retry that does not happen', async () => {
  let withdrawn = 0
  const budget = { withdraw: () => ++withdrawn > 0 }
  await rejection(retry(scene([broken], { budget, again: () => false }).job))
  await rejection(retry(scene([broken], { budget, maxAttempts: 1 }).job))
  await rejection(retry(scene([httpError(503, 10)], { budget, maxRetryAfterMs: 5 }).job))
  await rejection(retry(scene([broken], { budget, endsAtMs: -Infinity }).job))
  expect(withdrawn).toBe(0)
})

it('counts earlier failures, and starts over when the callback `again` resets the count', async () => {
  const carried = scene([broken], { failures: 1, maxAttempts: 2 })
  expect(await rejection(retry(carried.job))).toBe(broken)
  const progress = scene([broken, broken, broken], {
    maxAttempts: 2,
    again() {
      this.failures = 1
      return true
    },
  })
  expect(await retry(progress.job)).toBe('done')
  expect(progress.delaysMs).toEqual([500, 500, 500])
})

it('R-03: an abort ends a wait between attempts at once and starts no attempt', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const { job, attemptsMs } = scene([broken], {
    signals: [controller.signal],
    onRetry: () => queueMicrotask(() => controller.abort(reason)),
  })
  expect(await rejection(retry(job))).toBe(reason)
  expect(await rejection(retry(job))).toBe(reason)
  expect(attemptsMs).toHaveLength(1)
})

it('awaits onRetry before it waits', async () => {
  const { job, clock, attemptsMs } = scene([broken], {
    onRetry: async () => clock.setTimer(() => undefined, 0).cancel(),
  })
  await retry(job)
  expect(attemptsMs).toEqual([0, 500])
  const failing = scene([broken], { onRetry: async () => Promise.reject(new Error('no journal')) })
  expect(await rejection(retry(failing.job))).toMatchObject({ message: 'no journal' })
})

it('R-60: a retry event names the status of the failure, or else its code', () => {
  const about = { failures: 1, delayMs: 5 }
  expect(retryEvent('x', 2, { ...about, error: httpError(503) })).toEqual({
    type: 'retry',
    operation: 'x',
    attempt: 2,
    delayMs: 5,
    cause: 503,
  })
  expect(retryEvent('x', 1, { ...about, error: { code: 'connection' } })).toMatchObject({
    cause: 'connection',
  })
  expect(retryEvent('x', 1, { ...about, error: undefined })).toMatchObject({ cause: 'unknown' })
})

const submitted = { method: 'POST', path: '/x', fields: [] }
const lost = new SubmissionUncertainError('x', { submitted, submittedAtMs: 0, remedy: '' })
const USES: readonly RetryUse[] = ['call', 'poll', 'download', 'connect']

it('R-27: 429, 500, 502, 503 and 504 are transient for every use, and other 4xx for none', () => {
  for (const use of USES) {
    for (const status of [429, 500, 502, 503, 504]) expect(isTransientStatus(status, use)).toBe(true)
    for (const status of [200, 301, 400, 401, 403, 404, 409, 410, 413, 422]) {
      expect(isTransientStatus(status, use)).toBe(false)
    }
  }
})

it('R-37: a denial is about the request unless it is about the caller or transient', () => {
  for (const status of [400, 404, 405, 409, 410, 413, 415, 422]) expect(isAboutRequest(status)).toBe(true)
  for (const status of [200, 401, 402, 403, 408, 425, 429, 500, 503])
    expect(isAboutRequest(status)).toBe(false)
})

it.each([
  [408, ['poll', 'download', 'connect']],
  [425, ['poll', 'download', 'connect']],
  [206, ['download']],
  [416, ['download']],
  [501, ['poll', 'connect']],
  [599, ['poll', 'connect']],
] as const)('R-27: %i is transient for exactly %o', (status, uses) => {
  expect(USES.filter((use) => isTransientStatus(status, use))).toEqual(uses)
})

it('R-27: connection failures and time-outs are transient for every use, no matter how much was sent', () => {
  for (const use of USES) {
    for (const sent of ['no', 'maybe', 'yes'] as const) {
      expect(isTransient(new ConnectionError('x', { phase: 'receive', sent }), use)).toBe(true)
      expect(isTransient(new TimeoutError('x', { limitMs: 1, elapsedMs: 1, sent }), use)).toBe(true)
    }
    expect(isTransient(httpError(503), use)).toBe(true)
    expect(isTransient(httpError(404), use)).toBe(false)
    expect(isTransient(new TypeError('a mistake'), use)).toBe(false)
    expect(isTransient(undefined, use)).toBe(false)
  }
})

it('R-27: the status of a declined upgrade decides', () => {
  const denied = (status: number): SocketError =>
    new SocketError('socket-denied', 'no', {
      denial: { status, headers: () => new Headers(), body: '' },
    })
  expect(isTransient(denied(503), 'connect')).toBe(true)
  expect(isTransient(denied(401), 'connect')).toBe(false)
})

it('R-27: a poll is repeated after a response that was lost, and no other request is', () => {
  expect(USES.filter((use) => isTransient(lost, use))).toEqual(['poll'])
})

it('R-47: a database that is away is transient for every use, and any operation may try again', () => {
  class AwayError extends ConcordError {
    constructor() {
      super('database', 'The database is away.')
    }
  }
  expect(USES.filter((use) => isTransient(new AwayError(), use))).toEqual(USES)
  expect(mayRetry({ class: 'unsent-only' }, new AwayError())).toBe(true)
  expect(mayRetry({ class: 'never' }, new AwayError())).toBe(false)
})

const time = { limitMs: 1, elapsedMs: 1 }

it.each([
  ['a lost connection', new ConnectionError('x', { phase: 'receive', sent: 'yes' }), 'transient'],
  ['a time-out', new TimeoutError('x', time), 'transient'],
  ['a deadline of the poll itself', new DeadlineError('x', time), 'transient'],
  ['a lost response to a poll that changes something', lost, 'transient'],
  ['503', httpError(503), 'transient'],
  ['400', httpError(400), 'definite'],
  ['an invalid request', new RequestInvalidError('x', []), 'definite'],
  ['a missing credential', new OptionsError('apiKey', 'is missing.', 'Give it.'), 'definite'],
  ['drift', new ContractDriftError('x', [], {}), 'definite'],
  ['a bug in the code', new TypeError('x is not a function'), 'definite'],
  ['a value that is not an error', 'oops', 'definite'],
  ['an unreadable response', unreadable(200), 'unreadable'],
] as const)('R-31: a poll that failed with %s is %s', (_name, error, expected) => {
  expect(classifyPollFailure(error)).toBe(expected)
})

it('R-32: Retry-After is read from any error that has it, and an invalid one is ignored', () => {
  expect(retryAfterOf(httpError(503, 7_000))).toBe(7_000)
  expect(retryAfterOf(httpError(429))).toBeUndefined()
  expect(retryAfterOf({ retryAfterMs: -1 })).toBeUndefined()
  expect(retryAfterOf({ retryAfterMs: Number.NaN })).toBeUndefined()
  expect(retryAfterOf(null)).toBeUndefined()
})
