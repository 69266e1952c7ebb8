import { describe, expect, it } from 'vitest'
import { rejection } from '../http/test-support/fixtures.ts'
import { httpError } from '../poll/test-support/scripted-service.ts'
import { type VirtualClock, virtualClock } from '../testing/virtual-clock.ts'
import { backoffMs, type Retried, retry, retryEvent } from './retry.ts'

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

describe('retry', () => {
  it('R-22: waits between attempts with full jitter, doubled up to the cap', async () => {
    const { job, attemptsMs, delaysMs } = scene([broken, broken, broken, broken])
    expect(await retry(job)).toBe('done')
    expect(delaysMs).toEqual([500, 1000, 2000, 2000])
    expect(attemptsMs).toEqual([0, 500, 1500, 3500, 5500])
  })

  it('R-22: the back-off is a number, however many failures there were', () => {
    for (const baseMs of [0, 500])
      expect(backoffMs(5_000, { baseMs, capMs: 20_000 }, () => 1)).toBe(baseMs === 0 ? 0 : 20_000)
  })

  it('asks about each failure once, and throws the error if another attempt cannot help', async () => {
    const asked: unknown[] = []
    const final = new Error('final')
    const { job } = scene([broken, final], { again: (error) => (asked.push(error), error !== final) })
    expect(await rejection(retry(job))).toBe(final)
    expect(asked).toEqual([broken, final])
  })

  it('makes at most maxAttempts attempts, and throws what lastError makes of the last failure', async () => {
    const { job, attemptsMs } = scene([broken, broken, broken], {
      maxAttempts: 2,
      lastError: (error) => new Error('given up', { cause: error }),
    })
    expect(await rejection(retry(job))).toMatchObject({ message: 'given up', cause: broken })
    expect(attemptsMs).toHaveLength(2)
  })

  it('R-23: waits for Retry-After or for the back-off, whichever is longer', async () => {
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

  it('waits at least minDelayMs', async () => {
    const { job, delaysMs } = scene([broken, broken], { minDelayMs: 800 })
    await retry(job)
    expect(delaysMs).toEqual([800, 1000])
  })

  it('throws the error at once instead of a wait that would reach the deadline', async () => {
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

  it('carries on from earlier failures, and starts over when the callback `again` resets the count', async () => {
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

  it('R-03: an abort ends a wait at once and starts no attempt', async () => {
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

  it('R-60: the event names the status of the failure, or else its code', () => {
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
})
