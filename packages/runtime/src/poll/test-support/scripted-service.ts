import { getEventListeners } from 'node:events'

import { wait } from '../../core/async.ts'
import type { RandomSource } from '../../core/clock.ts'
import { ApiError, RateLimitedError, ServerError } from '../../core/errors.ts'
import type { WaiterDescriptor } from '../../core/descriptors.ts'
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts'
import { emptyResponse } from '../../retry/test-support/foreign-errors.ts'
import { defineOperationKind } from '../operation-handle.ts'
import { PollScheduler, type PollSchedulerOptions } from '../poll-scheduler.ts'
import type { OperationKindOptions, PollResponse } from '../operation.ts'

export interface Job {
  readonly status: string
  readonly progress?: number
  readonly result?: string
}

export const WAITER: WaiterDescriptor = {
  status: '/status',
  success: ['completed'],
  failure: ['failed'],
  pending: ['queued', 'processing'],
  firstDelayMs: 5_000,
  minDelayMs: 5_000,
  maxDelayMs: 10_000,
  limitMs: 300_000,
}

export interface Call {
  readonly id: string
  readonly at: number
  readonly signal: AbortSignal
  readonly extra: unknown
}

/** A reply to a poll: a job, a whole response, or an error to throw. */
export type Reply = Job | PollResponse<Job> | Error

/**
 * A service on a virtual clock. `reply` produces the response to each call; the response arrives after `latencyMs`.
 * `gaps` returns the time from each call to the next one. The first value is the time from the start to the first call.
 */
export function scriptedService(
  reply: (call: Call, index: number) => Reply,
  options: {
    readonly latencyMs?: number
    readonly random?: RandomSource
    readonly scheduler?: PollSchedulerOptions
    readonly waiter?: WaiterDescriptor
    readonly kind?: Partial<OperationKindOptions<Job, unknown>>
    readonly clock?: VirtualClock
  } = {},
) {
  const { clock = virtualClock() } = options
  const calls: Call[] = []
  const scheduler = new PollScheduler({ clock, random: options.random ?? (() => 0.5), ...options.scheduler })
  const jobs = defineOperationKind<Job, unknown>({
    kind: 'test.job',
    label: 'Test job',
    operation: 'getJob',
    waiter: options.waiter ?? WAITER,
    scheduler,
    poll: async (id, signal, extra) => {
      const call = { id, at: clock.monotonic(), signal, extra }
      calls.push(call)
      const response = reply(call, calls.length - 1)
      if (options.latencyMs !== undefined) await wait(clock, options.latencyMs, [signal])
      if (response instanceof Error) throw response
      return 'data' in response ? response : { data: response }
    },
    ...options.kind,
  })
  const times = () => calls.map((call) => call.at)
  const gaps = () => times().map((time, index, all) => time - (all[index - 1] ?? 0))
  return { clock, calls, scheduler, jobs, times, gaps }
}

/** Returns a `reply` function for {@link scriptedService}. Its job enters each state at that state's `fromMs`. */
export function timeline(...states: readonly (readonly [fromMs: number, job: string | Job])[]) {
  return ({ at }: Call): Job => {
    const [, job] = states.findLast(([fromMs]) => at >= fromMs) ?? [0, 'queued']
    return typeof job === 'string' ? { status: job } : job
  }
}

/** Returns the error that the HTTP pipeline creates for this status. */
export function httpError(status: number, retryAfterMs?: number): Error {
  const response = emptyResponse(status, retryAfterMs)
  if (status === 429) return new RateLimitedError('too many', response, { retryHelps: false })
  return status >= 500 ? new ServerError('down', response) : new ApiError('refused', response)
}

/** Counts the listeners on a signal. */
export const countListeners = (signal: AbortSignal) => () => getEventListeners(signal, 'abort').length
