import {
  AuthenticationError,
  ConnectionError,
  DeadlineError,
  RateLimitedError,
  ServerError,
  SocketError,
  TimeoutError,
} from '../../core/errors.ts'

const response = (status: number, retryAfterMs?: number) => ({
  status,
  body: undefined,
  text: '',
  headers: () => new Headers(),
  retryAfterMs,
})
const spent = { limitMs: 1, elapsedMs: 1 }

/** Errors of other calls, as a caller's function may throw them. If this call itself had failed with one of them, its type would affect the retry or the outcome. */
export const foreignErrors = [
  () => new ConnectionError('foreign', { phase: 'connect', sent: 'no' }),
  () => new TimeoutError('foreign', spent),
  () => new DeadlineError('foreign', spent),
  () => new SocketError('socket-closed', 'foreign'),
  () => new AuthenticationError('foreign', response(401)),
  () => new RateLimitedError('foreign', response(429, 5_000), { retryHelps: true }),
  () => new ServerError('foreign', response(503)),
].map((create) => [create().name, create] as const)
