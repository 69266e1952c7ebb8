import {
  AuthenticationError,
  ConnectionError,
  DeadlineError,
  RateLimitedError,
  ServerError,
  SocketError,
  TimeoutError,
  UnexpectedContentError,
} from '../../core/errors.ts'

/** A response without a body, for the errors that contain a response. */
export const emptyResponse = (status: number, retryAfterMs?: number) => ({
  status,
  body: undefined,
  text: '',
  headers: () => new Headers(),
  retryAfterMs,
})

/** The error for a response that can't be read. */
export const unreadable = (status: number, message = 'x'): UnexpectedContentError =>
  new UnexpectedContentError(message, emptyResponse(status), { contentType: 'text/html', excerpt: '' })

const spent = { limitMs: 1, elapsedMs: 1 }

/**
 * Errors of other calls, for tests in which a function of the caller throws them. If a call itself fails with an
 * error of these types, the error affects the call's retries or outcome. If the caller's function throws the error,
 * the error must not affect them.
 */
export const foreignErrors = [
  () => new ConnectionError('foreign', { phase: 'connect', sent: 'no' }),
  () => new TimeoutError('foreign', spent),
  () => new DeadlineError('foreign', spent),
  () => new SocketError('socket-closed', 'foreign'),
  () => new AuthenticationError('foreign', emptyResponse(401)),
  () => new RateLimitedError('foreign', emptyResponse(429, 5_000), { retryHelps: true }),
  () => new ServerError('foreign', emptyResponse(503)),
].map((create) => [create().name, create] as const)
