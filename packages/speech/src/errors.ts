import { AuthenticationError, type ApiError, RateLimitedError } from '@concord/runtime'
import type { ErrorResponse } from '@concord/runtime/internal'

import { speechCode } from './codes.ts'

/**
 * DATA-0001 in the response to a REST call, with any status: the character rate limit on synthesis was reached. Slow down;
 * retrying immediately makes it worse.
 *
 * @see `specs/speech/asyncapi.yaml#/channels/speechStream`
 * @public
 */
export class CharacterRateLimitedError extends RateLimitedError {
  static override readonly errorName = 'speech.CharacterRateLimitedError'
}

/**
 * Returns a sentence for an error's message. Error bodies have no documented form, so only documented codes are recognized.
 */
export function explain(body: unknown): string | undefined {
  return speechCode(body) === 'DATA-0000' ? "DATA-0000, the encoding doesn't match the audio." : undefined
}

const TOO_MANY =
  'Too many connections are open. Try again once some have closed, or limit the WebSockets of this client with `connectionLimit`.'
/** The advice for a 401. */
export const CREDENTIALS =
  'Pass either an API key as `apiKey` (sent as Token) or a JWT as `accessToken` (sent as Bearer).'

/** Returns a more specific error for a REST call, if possible. A 429 always means too many connections. */
export function refineError(
  message: string,
  response: ErrorResponse,
  operation: string,
): ApiError | undefined {
  // The status isn't documented. If it is 400, the usual advice would be wrong, since waiting helps.
  if (speechCode(response.body) === 'DATA-0001')
    return new CharacterRateLimitedError(
      `${operation}: the service returned ${response.status} with DATA-0001: the character rate limit on synthesis was reached. ` +
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
