import { type Retried, retryEvent } from '../retry/retry.ts'
import { type ClientCore, coreOf, emit } from './client-state.ts'
import type { Client } from './client.ts'

/** The settings of {@link retry} that depend on a client's options. @public */
export type ClientRetry = Pick<
  Retried<unknown>,
  'clock' | 'random' | 'backoff' | 'maxAttempts' | 'maxRetryAfterMs' | 'budget'
> &
  Required<Pick<Retried<unknown>, 'onRetry'>> & { readonly signals: readonly AbortSignal[] }

export function coreRetry(core: ClientCore, operation: string): ClientRetry {
  const { clock, random, backoff, maxAttempts, maxRetryAfterMs, budget, signal, closing } = core
  return {
    clock,
    random,
    backoff,
    maxAttempts,
    maxRetryAfterMs,
    budget,
    signals: signal === undefined ? [closing.signal] : [signal, closing.signal],
    onRetry: (retried) => emit(core, retryEvent(operation, retried.failures, retried)),
  }
}

/**
 * Returns a client's retry settings for your own loop: `retry({ ...clientRetry(client, 'x'), attempt, again })`. The
 * loop then uses the client's budget, reports each retry to the client's observer, and ends when the
 * client is closed. Pass `maxAttempts: 1` to the calls in the loop, so that only the loop retries.
 *
 * @param operation The operation name in `retry` events.
 * @throws ConnectionError if the client is closed.
 * @public
 */
export function clientRetry(client: Client, operation: string): ClientRetry {
  return coreRetry(coreOf(client, operation), operation)
}
