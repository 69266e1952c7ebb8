import { expect, test } from 'vitest'

import {
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  OptionsError,
  RequestInvalidError,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from '../core/errors.ts'
import { retryAfterOf } from '../retry/transient.ts'
import { classifyPollFailure } from './poll-errors.ts'
import { httpError } from './test-support/scripted-service.ts'

const time = { limitMs: 1, elapsedMs: 1 }
const page = { status: 200, body: '', text: '', headers: () => new Headers() }

test.each([
  ['a lost connection', new ConnectionError('x', { phase: 'receive', sent: 'yes' }), 'transient'],
  ['a time-out', new TimeoutError('x', time), 'transient'],
  ['a deadline of the poll itself', new DeadlineError('x', time), 'transient'],
  [
    'an answer that was lost, to a poll that changes something',
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
  ['a mistake in the code', new TypeError('x is not a function'), 'definite'],
  ['something that is no error', 'oops', 'definite'],
  [
    'an unreadable answer',
    new UnexpectedContentError('x', page, { contentType: 'text/html', excerpt: '' }),
    'odd-answer',
  ],
] as const)('R-31: %s is %s', (_name, error, expected) => {
  expect(classifyPollFailure(error)).toBe(expected)
})

test('R-32: Retry-After is read from any error that has it, and nonsense is ignored', () => {
  expect(retryAfterOf(httpError(503, 7_000))).toBe(7_000)
  expect(retryAfterOf(httpError(429))).toBeUndefined()
  expect(retryAfterOf({ retryAfterMs: -1 })).toBeUndefined()
  expect(retryAfterOf({ retryAfterMs: Number.NaN })).toBeUndefined()
  expect(retryAfterOf(null)).toBeUndefined()
})
