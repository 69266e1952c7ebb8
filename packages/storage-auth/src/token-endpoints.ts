import {
  type CallOptions,
  type Client,
  ConnectionError,
  ContractDriftError,
  type Duration,
  type Exchange,
  type OperationDescriptor,
  outcomeOf,
  RateLimitedError,
} from '@concord/runtime'
import { clientRetry, numberOption, parseDuration, RATE_RETRY, retry } from '@concord/runtime/internal'
import {
  type IssuedTokens,
  memoryRequestLog,
  RequestLimiter,
  type TokenSessionOptions,
  type TokenStore,
} from '@concord/runtime/session'
import type { TokenResponse } from '@concord/storage-auth-validators'

import { refreshToken } from './gen/operations.gen.ts'
import type { StorageAuthOptions } from './options.ts'

/** The documented rate limit of all three token endpoints together, per IP address. */
const REQUESTS_PER_MINUTE = 10

/**
 * Sends requests to the token endpoints. If the store has a request log, all processes that share the store also
 * share one rate limit.
 */
export class TokenEndpoints {
  readonly limiter: RequestLimiter | undefined
  readonly #client: Client
  readonly #ended: AbortSignal
  readonly #deadline: Duration | undefined
  readonly #retry: { readonly maxAttempts: number; readonly maxRetryAfterMs: number }

  constructor(client: Client, store: TokenStore, options: StorageAuthOptions, ended: AbortSignal) {
    const { tokenRequestsPerMinute, deadline, retry: { maxAttempts, maxRetryAfterMs } = {} } = options
    this.#client = client
    this.#ended = ended
    this.#deadline = deadline
    this.#retry = {
      maxAttempts: maxAttempts ?? RATE_RETRY.maxAttempts,
      maxRetryAfterMs: maxRetryAfterMs ?? 60_000,
    }
    if (tokenRequestsPerMinute === Infinity) return
    this.limiter = new RequestLimiter({
      limit: numberOption(tokenRequestsPerMinute, 'tokenRequestsPerMinute', REQUESTS_PER_MINUTE, {
        min: 1,
        whole: true,
      }),
      windowMs: 60_000,
      log: store.requestLog ?? memoryRequestLog(),
      clock: client.clock,
      name: 'The token endpoints',
      emit: (event) => client.emit(event),
    })
  }

  /**
   * Waits until the rate limit allows a request, and then sends the operation. After a 429, sends the request again,
   * on the assumption that the service didn't process it.
   *
   * @param again - Whether the request may be sent again after an error.
   */
  async exchange<Input, Output, ErrorBody, HeaderValues>(
    operation: OperationDescriptor<Input, Output, ErrorBody, HeaderValues>,
    input: Input,
    call: CallOptions = {},
    again = operation.retry.class !== 'never',
  ): Promise<Exchange<Output, HeaderValues>> {
    const { clock } = this.#client
    const within = call.deadline ?? this.#deadline
    const limitMs = within === undefined ? Infinity : parseDuration(within)
    const endsAtMs = clock.monotonic() + limitMs
    const leftMs = (): number => endsAtMs - clock.monotonic()
    const signal = call.signal === undefined ? this.#ended : AbortSignal.any([call.signal, this.#ended])
    const terms = clientRetry(this.#client, operation.id)
    let { backoff } = terms
    return retry<Exchange<Output, HeaderValues>>({
      ...terms,
      get backoff() {
        return backoff
      },
      maxAttempts: call.maxAttempts ?? this.#retry.maxAttempts,
      maxRetryAfterMs: this.#retry.maxRetryAfterMs,
      signals: [signal],
      endsAtMs,
      attempt: async () => {
        await this.limiter?.acquire({ limitMs: leftMs(), signal })
        const left = limitMs === Infinity ? {} : { deadline: Math.max(1, leftMs()) }
        const once = { ...call, ...left, maxAttempts: 1 }
        return this.#client.exchange(operation, input, once).catch(async (error: unknown) => {
          // `Retry-After` applies to all processes, even if this call doesn't wait.
          const askedMs = RateLimitedError.is(error) ? error.retryAfterMs : undefined
          if (askedMs !== undefined) await this.limiter?.hold(askedMs)
          throw error
        })
      },
      again: (error) => {
        backoff = RateLimitedError.is(error) ? RATE_RETRY.backoff : terms.backoff
        return again && mayRepeat(operation, error)
      },
      onRetry: async (retried) => {
        await terms.onRetry(retried)
        if (RateLimitedError.is(retried.error)) await this.limiter?.hold(retried.delayMs)
      },
    })
  }

  /** The limits for retrying {@link TokenEndpoints.refresh} after a 429. The session does the retries. */
  get refreshRetry(): NonNullable<TokenSessionOptions['retry']> {
    const { budget, onRetry } = clientRetry(this.#client, refreshToken.id)
    return { budget, onRetry, ...this.#retry }
  }

  /** Sends a refresh token once. Doesn't wait for the rate limit, because the session has already waited. */
  async refresh(token: string): Promise<IssuedTokens> {
    const response = await this.#client.send(
      refreshToken,
      { body: { refresh_token: token } },
      { ...REPORT_DRIFT_ONLY, maxAttempts: 1 },
    )
    return toIssuedTokens(response, refreshToken.id)
  }
}

function mayRepeat({ retry: rule }: OperationDescriptor, error: unknown): boolean {
  if (RateLimitedError.is(error)) return error.retryHelps
  return rule.class !== 'never' && ConnectionError.is(error) && outcomeOf(error) === 'not-sent'
}

/**
 * For responses with tokens or keys. A token or key is issued only once, and would be lost if validation threw an
 * error.
 */
export const REPORT_DRIFT_ONLY = { validate: 'report' } as const satisfies CallOptions

/** Returns the tokens in a response. Throws if a token is missing, even if validation is off. */
export function toIssuedTokens(response: TokenResponse, operation: string): IssuedTokens {
  const { access_token, refresh_token, expires_in, user } = response as Partial<TokenResponse>
  if (typeof access_token !== 'string' || access_token === '') throw missing('access_token', operation)
  if (typeof refresh_token !== 'string' || refresh_token === '') throw missing('refresh_token', operation)
  const expires = typeof expires_in === 'number' && expires_in > 0 ? { expiresInMs: expires_in * 1000 } : {}
  const subject = typeof user?.id === 'string' && user.id !== '' ? { subject: user.id } : {}
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    ...expires,
    ...subject,
    ...(user === undefined || user === null ? {} : { details: { user } }),
  }
}

function missing(name: string, operation: string): ContractDriftError {
  return new ContractDriftError(
    `${operation}: the response has no \`${name}\`, so there is no session. Check \`authUrl\`, and sign in again.`,
    [{ path: `/${name}`, reason: 'is missing' }],
    undefined,
    { operation },
  )
}
