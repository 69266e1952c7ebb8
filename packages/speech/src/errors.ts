import {
  type ApiError,
  AuthenticationError,
  ConcordError,
  RateLimitedError,
  SocketError,
} from '@concord/runtime'
import type { ErrorResponse } from '@concord/runtime/internal'

/** The codes that the documentation names in addition to HTTP statuses. @public */
export type SpeechCode = 'DATA-0000' | 'DATA-0001'

const CODE = /\bDATA-000[01]\b/

/**
 * Finds a documented code in a message, a close reason, an error or an error's body.
 * The documentation doesn't show where the codes appear, so every string of the value is searched.
 *
 * - `DATA-0000`: the encoding doesn't match the audio.
 * - `DATA-0001`: the character rate limit on synthesis was reached; slow down instead of retrying immediately.
 *
 * @see `specs/speech/asyncapi.yaml#/info`
 * @public
 */
export function speechCode(value: unknown): SpeechCode | undefined {
  return find(value, 0, { left: MAX_VALUES })
}

/** Limits of the search, so that a huge message costs little time. */
const MAX_DEPTH = 8
const MAX_VALUES = 10_000

function find(value: unknown, depth: number, budget: { left: number }): SpeechCode | undefined {
  if (typeof value === 'string') return CODE.exec(value)?.[0] as SpeechCode | undefined
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || value instanceof Uint8Array)
    return undefined
  if (ConcordError.is(value)) return findInError(value, depth, budget)
  for (const item of Object.values(value)) {
    if (budget.left-- <= 0) return undefined
    const found = find(item, depth + 1, budget)
    if (found !== undefined) return found
  }
  return undefined
}

function findInError(error: ConcordError, depth: number, budget: { left: number }): SpeechCode | undefined {
  const { body } = error as { readonly body?: unknown }
  const reason = error instanceof SocketError ? error.reason : undefined
  return find(reason, depth, budget) ?? find(body, depth, budget)
}

/**
 * The response to a REST call contained DATA-0001: the character rate limit on synthesis was reached. The response
 * can have any status. Slow down instead of retrying immediately.
 *
 * @see `specs/speech/asyncapi.yaml#/channels/speechStream`
 * @public
 */
export class CharacterRateLimitedError extends RateLimitedError {
  static override readonly errorName = 'speech.CharacterRateLimitedError'
}

/**
 * Explains an error body that contains DATA-0000. The runtime adds the explanation to the error's message.
 * Other bodies aren't explained, because the documentation shows no error bodies.
 */
export function explain(body: unknown): string | undefined {
  return speechCode(body) === 'DATA-0000' ? "DATA-0000, the encoding doesn't match the audio." : undefined
}

const TOO_MANY =
  'Too many connections are open. Try again once some have closed, or limit the WebSockets of this client with `connectionLimit`.'
export const CREDENTIALS =
  'Pass either an API key as `apiKey` (sent as Token) or a JWT as `accessToken` (sent as Bearer).'

/** Returns a more specific error for a REST call, if one fits. */
export function refineError(
  message: string,
  response: ErrorResponse,
  operation: string,
): ApiError | undefined {
  // The documentation doesn't say which status comes with DATA-0001. If the status is 400, the usual advice for a 400
  // would be wrong, because waiting helps.
  if (speechCode(response.body) === 'DATA-0001')
    return new CharacterRateLimitedError(
      `${operation}: the service returned ${response.status} with DATA-0001, because the character rate limit on synthesis was reached. ` +
        'Slow down instead of retrying immediately.',
      response,
      { retryHelps: true },
      { operation },
    )
  if (response.status === 429)
    return new RateLimitedError(
      `${message} ${TOO_MANY}`,
      response,
      { meaning: 'connections', retryHelps: true },
      { operation },
    )
  if (response.status === 401)
    return new AuthenticationError(`${message} ${CREDENTIALS}`, response, { operation })
  return undefined
}
