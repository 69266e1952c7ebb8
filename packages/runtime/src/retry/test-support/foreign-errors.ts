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
 * Errors of other calls, which a function of the caller may throw. If they were errors of the call itself, they would
 * affect its retry or outcome.
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
