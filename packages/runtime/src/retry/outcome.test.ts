import { expect, it } from 'vitest'
import type { OperationDescriptor, OutcomeDescriptor } from '../core/descriptors.ts'
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
} from '../core/errors.ts'
import { acceptedId } from '../http/decode.ts'
import { createItem } from '../http/test-support/fixtures.ts'
import { unreadable } from './test-support/foreign-errors.ts'
import { httpError } from '../poll/test-support/scripted-service.ts'
import {
  findAcceptedId,
  type KnownOfSubmission,
  outcomeOf,
  remedyOf,
  submissionUncertain,
} from './outcome.ts'

const lost = (sent: Sent): ConnectionError => new ConnectionError('x', { phase: 'receive', sent })
const spent = (sent: Sent) => ({ limitMs: 1, elapsedMs: 1, sent })
const known = { submitted: { method: 'POST', path: '/x', fields: [] }, submittedAtMs: 0, remedy: '' }
function withOutcome(outcome: OutcomeDescriptor, method = createItem.method): OperationDescriptor {
  return { ...createItem, method, outcome } as OperationDescriptor
}

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
  ['a success that cannot be read', unreadable(200), 'uncertain'],
  ['a 300', httpError(300), 'denied'],
  ['a 429', httpError(429), 'denied'],
  ['a 303, which says that the request was acted on', httpError(303), 'uncertain'],
  ['a 500', httpError(500), 'uncertain'],
  ['a success of another shape', new ContractDriftError('x', [], {}), 'accepted'],
  ['an unknown outcome', new SubmissionUncertainError('x', known), 'uncertain'],
  ['an unreadable response with an id', new SubmissionUncertainError('x', { ...known, id: 'a' }), 'accepted'],
  ['an error of another library', new TypeError('a bug'), 'uncertain'],
  [
    'another error of ours',
    new OperationFailedError('x', { id: '', reason: '', advice: 'none' }),
    'uncertain',
  ],
] as const)('R-21: the outcome after %s is %s', (_what, error, expected) => {
  expect(outcomeOf(error)).toBe(expected)
})

it('R-21: a 4xx status still means denied if the rest of the response was lost', () => {
  expect(outcomeOf(lost('yes'), 404)).toBe('denied')
  expect(outcomeOf(lost('yes'), 200)).toBe('uncertain')
  expect(outcomeOf(lost('yes'), 500)).toBe('uncertain')
  expect(outcomeOf(lost('no'), 200)).toBe('not-sent')
})

const operation = withOutcome({ id: '/job_id' })

it('reads the id of the accepted work where the contract says', () => {
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
])('finds the id of the accepted work in %o', (text, expected) => {
  expect(findAcceptedId(operation, text)).toBe(expected)
})

it('does not guess the id of the accepted work if the contract names no pointer or a nested one', () => {
  expect(findAcceptedId(createItem, '{"id":"a-1",')).toBeUndefined()
  expect(findAcceptedId(withOutcome({ id: '/a/b' }), '{"b":"a-1",')).toBeUndefined()
  expect(findAcceptedId(withOutcome({ id: '/a/b' }), '{"a":"a-1",')).toBeUndefined()
})

it('R-21: the remedy names the operation that shows the outcome, if the contract has one', () => {
  expect(remedyOf(withOutcome({ lookUp: 'listItems' }))).toBe(
    'Before you repeat `createItem`, call `listItems`, which shows whether the request took effect.',
  )
  expect(remedyOf(withOutcome({ lookUp: 'getItem' }, 'DELETE'))).toContain(
    'a 404 means that what you deleted is gone',
  )
})

it('R-21: the remedy otherwise says what another call would do, and suggests no look-up', () => {
  expect(remedyOf(withOutcome({ again: 'harmless' }))).toContain('can be called again')
  expect(remedyOf(withOutcome({ again: 'spent' }))).toContain('works only once')
  for (const operation of [withOutcome({ again: 'repeats' }), withOutcome({}), createItem]) {
    expect(remedyOf(operation)).toBe(
      'No documented operation shows whether the request was accepted. ' +
        'Repeat `createItem` only if you accept that the same work may be done and billed twice.',
    )
  }
})

const errorOf = (known: Partial<KnownOfSubmission>) =>
  submissionUncertain(createItem, {
    body: undefined,
    submittedAtMs: 7,
    cause: new Error('reset'),
    possibleDuplicates: 1,
    ...known,
  })

it('R-21: a SubmissionUncertainError names the fields of a plain body, and none of any other body', () => {
  expect(errorOf({ body: { secret: 'value', b: 1 } }).submitted).toEqual({
    method: 'POST',
    path: '/v1/items',
    fields: ['secret', 'b'],
  })
  for (const body of [undefined, null, 'text', new Uint8Array([1]), new Map([['a', 1]])])
    expect(errorOf({ body }).submitted.fields).toEqual([])
})

it('R-21: a SubmissionUncertainError begins with the problem of the response, or says that the response was lost', () => {
  expect(errorOf({ cause: unreadable(200, 'createItem: not JSON.') }).message).toMatch(
    /^createItem: not JSON\. /,
  )
  expect(errorOf({}).message).toMatch(/^createItem: the response was lost/)
  const denied = unreadable(503, 'createItem: the service says: upstream busy')
  expect(errorOf({ cause: denied }).message).toContain('upstream busy. Whether the request')
})

it('R-21: a SubmissionUncertainError says how many submissions may exist only if there may be several', () => {
  expect(errorOf({}).message).not.toContain('submissions may exist')
  expect(errorOf({ possibleDuplicates: 3 }).message).toContain(
    '3 submissions may exist. The client does not send the request again.',
  )
})

it('R-21: a SubmissionUncertainError names the id of the accepted work if it is known', () => {
  expect(errorOf({ id: 'a-1' }).message).toContain(
    'the service accepted the request under the id "a-1", but its response',
  )
  expect(errorOf({}).message).toContain('is unknown')
})
