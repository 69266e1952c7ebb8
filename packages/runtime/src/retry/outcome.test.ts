import { describe, expect, it } from 'vitest'
import {
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  OperationFailedError,
  OptionsError,
  RequestInvalidError,
  type Sent,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from '../core/errors.ts'
import type { OperationDescriptor, OutcomeDescriptor } from '../core/descriptors.ts'
import { acceptedId } from '../http/decode.ts'
import { createItem } from '../http/test-support/fixtures.ts'
import { httpError } from '../poll/test-support/scripted-service.ts'
import { findAcceptedId, outcomeOf, remedyOf } from './outcome.ts'

const lost = (sent: Sent): ConnectionError => new ConnectionError('x', { phase: 'receive', sent })
const spent = (sent: Sent) => ({ limitMs: 1, elapsedMs: 1, sent })
const known = { submitted: { method: 'POST', path: '/x', fields: [] }, submittedAtMs: 0, remedy: '' }
const page = new UnexpectedContentError(
  'x',
  { status: 200, body: '', text: '', headers: () => new Headers() },
  { contentType: 'text/html', excerpt: '' },
)

function withOutcome(outcome: OutcomeDescriptor, method = createItem.method): OperationDescriptor {
  return { ...createItem, method, outcome } as OperationDescriptor
}

describe('the outcome of a failed call', () => {
  it.each([
    ['a request that the client rejected', new RequestInvalidError('x', []), 'not-sent'],
    ['an option that the client rejected', new OptionsError('a', 'b', 'c'), 'not-sent'],
    ['a refused connection', lost('no'), 'not-sent'],
    ['a time-out before anything was sent', new TimeoutError('x', spent('no')), 'not-sent'],
    ['a deadline between two requests', new DeadlineError('x', { limitMs: 1, elapsedMs: 1 }), 'not-sent'],
    ['a connection lost after it was sent', lost('maybe'), 'uncertain'],
    ['a connection lost during the response', lost('yes'), 'uncertain'],
    ['a time-out after it was sent', new TimeoutError('x', spent('maybe')), 'uncertain'],
    ['a deadline after it was sent', new DeadlineError('x', spent('maybe')), 'uncertain'],
    ['a success that cannot be read', page, 'uncertain'],
    ['a 300', httpError(300), 'denied'],
    ['a 400', httpError(400), 'denied'],
    ['a 404', httpError(404), 'denied'],
    ['a 429', httpError(429), 'denied'],
    ['a 307', httpError(307), 'denied'],
    ['a 303, which says that the request was acted on', httpError(303), 'uncertain'],
    ['a 500', httpError(500), 'uncertain'],
    ['a 502', httpError(502), 'uncertain'],
    ['a 503', httpError(503), 'uncertain'],
    ['a 504', httpError(504), 'uncertain'],
    ['a success of another shape', new ContractDriftError('x', [], {}), 'accepted'],
    ['an unknown outcome', new SubmissionUncertainError('x', known), 'uncertain'],
    [
      'an unreadable response with an id',
      new SubmissionUncertainError('x', { ...known, id: 'a' }),
      'accepted',
    ],
    ['an error of another library', new TypeError('a bug'), 'uncertain'],
    [
      'another error of ours',
      new OperationFailedError('x', { id: '', reason: '', advice: 'none' }),
      'uncertain',
    ],
  ] as const)('R-21: %s means %s', (_what, error, expected) => {
    expect(outcomeOf(error)).toBe(expected)
  })

  it('R-21: a 4xx status still means denied if the rest of the response was lost', () => {
    expect(outcomeOf(lost('yes'), 404)).toBe('denied')
    expect(outcomeOf(lost('yes'), 200)).toBe('uncertain')
    expect(outcomeOf(lost('yes'), 500)).toBe('uncertain')
    expect(outcomeOf(lost('no'), 200)).toBe('not-sent')
  })
})

describe('the id of the accepted work', () => {
  const operation = withOutcome({ id: '/job_id' })

  it('is read where the contract says', () => {
    expect(acceptedId(operation, { job_id: 'a' })).toBe('a')
    expect(acceptedId(operation, { job_id: '' })).toBe('')
    expect(acceptedId(operation, { job_id: 7 })).toBe('7')
    for (const data of [{}, { job_id: 7.5 }, { job_id: 2 ** 53 }, { job_id: null }, null, undefined, 'a']) {
      expect(acceptedId(operation, data)).toBeUndefined()
    }
    expect(acceptedId(createItem, { id: 'a' })).toBeUndefined()
  })

  it.each([
    ['{"job_id":"a-1","sta', 'a-1'],
    [' { "status" : "queued" , "job_id" : "a-1" ', 'a-1'],
    ['{"job_id":"a-1', undefined],
    ['{"job_id":7,', '7'],
    ['{"job_id":7', undefined],
    ['{"job_id":7.5,', undefined],
    ['{"job_id":"","x', undefined],
    ['{"other":{"job_id":"a-1"', undefined],
    ['<p>"job_id":"a-1"</p>', undefined],
    ['', undefined],
  ])('is found in %o', (text, expected) => {
    expect(findAcceptedId(operation, text)).toBe(expected)
  })

  it('is not guessed if the contract names no pointer or a nested one', () => {
    expect(findAcceptedId(createItem, '{"id":"a-1",')).toBeUndefined()
    expect(findAcceptedId(withOutcome({ id: '/a/b' }), '{"b":"a-1",')).toBeUndefined()
    expect(findAcceptedId(withOutcome({ id: '/a/b' }), '{"a":"a-1",')).toBeUndefined()
  })
})

describe('the remedy for an unknown outcome', () => {
  it('R-21: names the operation that shows the outcome, if the contract has one', () => {
    expect(remedyOf(withOutcome({ lookUp: 'listItems' }))).toBe(
      'Call `listItems` before you repeat `createItem`: it shows whether the request took effect.',
    )
    expect(remedyOf(withOutcome({ lookUp: 'getItem' }, 'DELETE'))).toContain(
      'a 404 means that what you deleted is gone',
    )
  })

  it('R-21: otherwise says what another call would do, and suggests no look-up', () => {
    expect(remedyOf(withOutcome({ again: 'harmless' }))).toContain('can be called again')
    expect(remedyOf(withOutcome({ again: 'spent' }))).toContain('works only once')
    for (const operation of [withOutcome({ again: 'repeats' }), withOutcome({}), createItem]) {
      expect(remedyOf(operation)).toBe(
        'No documented operation shows whether it was accepted. ' +
          'Repeat `createItem` only if you accept that the same work is done, and billed, twice.',
      )
    }
  })
})
