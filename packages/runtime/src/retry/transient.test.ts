import { describe, expect, it } from 'vitest'
import {
  ConcordError,
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  OptionsError,
  RequestInvalidError,
  SocketError,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from '../core/errors.ts'
import { httpError } from '../poll/test-support/scripted-service.ts'
import {
  classifyPollFailure,
  isAboutRequest,
  isTransient,
  isTransientStatus,
  mayRetry,
  retryAfterOf,
  type RetryUse,
} from './retry.ts'

const USES: readonly RetryUse[] = ['call', 'poll', 'download', 'connect']

describe('the table of transient failures', () => {
  it('R-27: 429, 500, 502, 503 and 504 are transient for every use, and other 4xx for none', () => {
    for (const use of USES) {
      for (const status of [429, 500, 502, 503, 504]) expect(isTransientStatus(status, use)).toBe(true)
      for (const status of [200, 301, 400, 401, 403, 404, 409, 410, 413, 422]) {
        expect(isTransientStatus(status, use)).toBe(false)
      }
    }
  })

  it('R-37: a denial is about the request unless it is about the caller or transient', () => {
    for (const status of [400, 404, 405, 409, 410, 413, 415, 422]) expect(isAboutRequest(status)).toBe(true)
    for (const status of [200, 401, 402, 403, 408, 425, 429, 500, 503])
      expect(isAboutRequest(status)).toBe(false)
  })

  it.each([
    [408, ['poll', 'download', 'connect']],
    [425, ['poll', 'download', 'connect']],
    [206, ['download']],
    [416, ['download']],
    [501, ['poll', 'connect']],
    [599, ['poll', 'connect']],
  ] as const)('R-27: %i is transient for exactly %o', (status, uses) => {
    expect(USES.filter((use) => isTransientStatus(status, use))).toEqual(uses)
  })

  it('R-27: connection failures and time-outs are transient for every use, no matter how much was sent', () => {
    for (const use of USES) {
      for (const sent of ['no', 'maybe', 'yes'] as const) {
        expect(isTransient(new ConnectionError('x', { phase: 'receive', sent }), use)).toBe(true)
        expect(isTransient(new TimeoutError('x', { limitMs: 1, elapsedMs: 1, sent }), use)).toBe(true)
      }
      expect(isTransient(httpError(503), use)).toBe(true)
      expect(isTransient(httpError(404), use)).toBe(false)
      expect(isTransient(new TypeError('a mistake'), use)).toBe(false)
      expect(isTransient(undefined, use)).toBe(false)
    }
  })

  it('R-27: the status of a declined upgrade decides', () => {
    const denied = (status: number): SocketError =>
      new SocketError('socket-denied', 'no', {
        denial: { status, headers: () => new Headers(), body: '' },
      })
    expect(isTransient(denied(503), 'connect')).toBe(true)
    expect(isTransient(denied(401), 'connect')).toBe(false)
  })
})

describe('failures whose status does not matter', () => {
  it('R-27: a poll is repeated after a response that was lost, and no other request is', () => {
    const submitted = { method: 'POST', path: '/x', fields: [] }
    const lost = new SubmissionUncertainError('x', { submitted, submittedAtMs: 0, remedy: '' })
    expect(USES.filter((use) => isTransient(lost, use))).toEqual(['poll'])
  })

  it('R-47: a database that is away is transient for every use, and any operation may try again', () => {
    class AwayError extends ConcordError {
      constructor() {
        super('database', 'The database is away.')
      }
    }
    expect(USES.filter((use) => isTransient(new AwayError(), use))).toEqual(USES)
    expect(mayRetry({ class: 'unsent-only' }, new AwayError())).toBe(true)
    expect(mayRetry({ class: 'never' }, new AwayError())).toBe(false)
  })
})

describe('failed polls', () => {
  const time = { limitMs: 1, elapsedMs: 1 }
  const page = { status: 200, body: '', text: '', headers: () => new Headers() }

  it.each([
    ['a lost connection', new ConnectionError('x', { phase: 'receive', sent: 'yes' }), 'transient'],
    ['a time-out', new TimeoutError('x', time), 'transient'],
    ['a deadline of the poll itself', new DeadlineError('x', time), 'transient'],
    [
      'a lost response to a poll that changes something',
      new SubmissionUncertainError('x', {
        submitted: { method: 'POST', path: '/x', fields: [] },
        submittedAtMs: 0,
        remedy: '',
      }),
      'transient',
    ],
    ['408', httpError(408), 'transient'],
    ['425', httpError(425), 'transient'],
    ['429', httpError(429), 'transient'],
    ['500', httpError(500), 'transient'],
    ['503', httpError(503), 'transient'],
    ['400', httpError(400), 'definite'],
    ['401', httpError(401), 'definite'],
    ['403', httpError(403), 'definite'],
    ['404', httpError(404), 'definite'],
    ['an invalid request', new RequestInvalidError('x', []), 'definite'],
    ['a missing credential', new OptionsError('apiKey', 'is missing.', 'Give it.'), 'definite'],
    ['drift', new ContractDriftError('x', [], {}), 'definite'],
    ['a bug in the code', new TypeError('x is not a function'), 'definite'],
    ['a value that is not an error', 'oops', 'definite'],
    [
      'an unreadable response',
      new UnexpectedContentError('x', page, { contentType: 'text/html', excerpt: '' }),
      'unreadable',
    ],
  ] as const)('R-31: %s is %s', (_name, error, expected) => {
    expect(classifyPollFailure(error)).toBe(expected)
  })

  it('R-32: Retry-After is read from any error that has it, and an invalid one is ignored', () => {
    expect(retryAfterOf(httpError(503, 7_000))).toBe(7_000)
    expect(retryAfterOf(httpError(429))).toBeUndefined()
    expect(retryAfterOf({ retryAfterMs: -1 })).toBeUndefined()
    expect(retryAfterOf({ retryAfterMs: Number.NaN })).toBeUndefined()
    expect(retryAfterOf(null)).toBeUndefined()
  })
})
