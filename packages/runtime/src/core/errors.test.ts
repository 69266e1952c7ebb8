import { inspect } from 'node:util'

import { expect, it } from 'vitest'

import {
  ApiError,
  AuthenticationError,
  AuthorizationError,
  BadRequestError,
  ConcordError,
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  DownloadError,
  NotFoundError,
  OperationFailedError,
  OptionsError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitedError,
  RequestInvalidError,
  ServerError,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from './errors.ts'

const response = {
  status: 400,
  body: { detail: 'body-secret' },
  text: '{"detail":"body-secret"}',
  headers: () => new Headers({ 'set-cookie': 'cookie-secret' }),
}

const catalog: readonly [ConcordError, string, string][] = [
  [new RequestInvalidError('m', []), 'invalid-request', 'RequestInvalidError'],
  [new OptionsError('timeoutMs', 'is a string.', 'Pass a number.'), 'invalid-options', 'OptionsError'],
  [new ApiError('m', response), 'http', 'ApiError'],
  [new BadRequestError('m', response), 'http', 'BadRequestError'],
  [new AuthenticationError('m', response), 'http', 'AuthenticationError'],
  [new PermissionDeniedError('m', response), 'http', 'PermissionDeniedError'],
  [new NotFoundError('m', response), 'http', 'NotFoundError'],
  [new PayloadTooLargeError('m', response), 'http', 'PayloadTooLargeError'],
  [new RateLimitedError('m', response, { retryHelps: true }), 'http', 'RateLimitedError'],
  [new ServerError('m', response), 'http', 'ServerError'],
  [
    new UnexpectedContentError('m', response, { contentType: 'text/html', excerpt: '' }),
    'unexpected-content',
    'UnexpectedContentError',
  ],
  [new ContractDriftError('m', [], { a: 'body-secret' }), 'contract-drift', 'ContractDriftError'],
  [new ConnectionError('m', { phase: 'tls', sent: 'no' }), 'connection', 'ConnectionError'],
  [new TimeoutError('m', { limitMs: 1, elapsedMs: 1 }), 'timeout', 'TimeoutError'],
  [new DeadlineError('m', { limitMs: 1, elapsedMs: 1, id: 'job' }), 'deadline', 'DeadlineError'],
  [
    new SubmissionUncertainError('m', {
      submitted: { method: 'POST', path: '/x', fields: [] },
      submittedAtMs: 0,
      remedy: 'r',
      received: 'body-secret',
    }),
    'submission-uncertain',
    'SubmissionUncertainError',
  ],
  [
    new OperationFailedError('m', { id: 'x', reason: '', advice: 'none' }),
    'operation-failed',
    'OperationFailedError',
  ],
  [new DownloadError('m', { failure: 'expired', bytesSoFar: 0 }), 'download', 'DownloadError'],
  [new AuthorizationError('authorization-denied', 'm'), 'authorization-denied', 'AuthorizationError'],
  [new AuthorizationError('authorization-expired', 'm'), 'authorization-expired', 'AuthorizationError'],
]

it.each(catalog)(
  'R-11: %o has its stable code and its name, and shows no body and no headers',
  (error, code, name) => {
    expect(error).toMatchObject({ code, name })
    expect(ConcordError.is(error)).toBe(true)
    expect(String(error)).toContain(name)
    const shown = [
      inspect(error, { depth: 9, showHidden: true }),
      JSON.stringify(error),
      String(error),
      String(error.stack),
    ].join()
    expect(shown).not.toMatch(/body-secret|cookie-secret/)
  },
)

it('an ApiError exposes the body, text and headers of its response as properties', () => {
  const error = new ApiError('m', response)
  expect(error.body).toEqual({ detail: 'body-secret' })
  expect(error.text).toBe('{"detail":"body-secret"}')
  expect(error.headers.get('set-cookie')).toBe('cookie-secret')
})

it('an error has no property for an unknown value', () => {
  expect(Object.keys(new ApiError('m', response))).toEqual(['code', 'status', 'attempts'])
})

it('`is` recognizes instances of a class and its subclasses, but not of its siblings', () => {
  const error = new NotFoundError('m', response)
  expect(ApiError.is(error)).toBe(true)
  expect(NotFoundError.is(error)).toBe(true)
  expect(BadRequestError.is(error)).toBe(false)
  expect(ApiError.is(new TimeoutError('m', { limitMs: 1, elapsedMs: 1 }))).toBe(false)
  expect(ConcordError.is(new Error('m'))).toBe(false)
  expect(ConcordError.is(null)).toBe(false)
})

it('`is` recognizes an error that another copy of the package created', async () => {
  const path = './api-errors.ts?another-copy'
  const other = (await import(/* @vite-ignore */ path)) as { NotFoundError: typeof NotFoundError }
  const error = new other.NotFoundError('m', response)
  expect(error).not.toBeInstanceOf(NotFoundError)
  expect(ApiError.is(error)).toBe(true)
  expect(ServerError.is(error)).toBe(false)
})

it('`is` recognizes a subclass that has no name of its own only by instanceof', () => {
  class Unnamed extends ApiError {}
  expect(Unnamed.is(new Unnamed('m', response))).toBe(true)
  expect(Unnamed.is(new ApiError('m', response))).toBe(false)
  expect(ApiError.is(new Unnamed('m', response))).toBe(true)
})

it('an error keeps a Concord error as its cause unchanged, and strips the contents from a foreign one', () => {
  const own = new ConnectionError('lost', { phase: 'receive', sent: 'yes' })
  expect(new ServerError('m', response, { cause: own }).cause).toBe(own)
  const foreign = Object.assign(new Error('connect failed'), {
    code: 'ECONNREFUSED',
    headers: 'secret',
    port: 1,
  })
  const cause = new ServerError('m', response, { cause: foreign }).cause as Error & Record<string, unknown>
  expect(cause).toMatchObject({ message: 'connect failed', code: 'ECONNREFUSED', port: 1 })
  expect(cause['headers']).toBeUndefined()
})
