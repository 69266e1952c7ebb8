import { type Retried, retryEvent } from '../retry/retry.ts'
import { type ClientCore, coreOf, emit } from './client-state.ts'
import type { Client } from './client.ts'

/** The terms of a retry that a client's options decide. @public */
export type ClientRetry = Pick<
  Retried<unknown>,
  'clock' | 'random' | 'backoff' | 'maxAttempts' | 'maxRetryAfterMs' | 'signals' | 'budget'
> &
  Required<Pick<Retried<unknown>, 'onRetry'>>

/** The terms on which a client retries; see {@link clientRetry}. */
export function coreRetry(core: ClientCore, operation: string): ClientRetry {
  const { clock, random, backoff, maxAttempts, maxRetryAfterMs, budget, signal, closingSignals } = core
  return {
    clock,
    random,
    backoff,
    maxAttempts,
    maxRetryAfterMs,
    budget,
    signals: signal === undefined ? closingSignals : [signal, ...closingSignals],
    onRetry: (retried) => emit(core, retryEvent(operation, retried.failures, retried)),
  }
}

/**
 * The terms on which a client repeats what failed, for a loop of a flow's own: `retry({ ...clientRetry(client, 'x'),
 * attempt, again })`. The loop then shares the client's budget, tells its observer of each retry, and
 * ends with the client. The calls in it should be made with `maxAttempts: 1`.
 *
 * @param operation The name in `retry` events.
 * @throws ConnectionError when the client is closed.
 * @public
 */
export function clientRetry(client: Client, operation: string): ClientRetry {
  return coreRetry(coreOf(client, operation), operation)
}
