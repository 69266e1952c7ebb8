import { describe, expect, it } from 'vitest'

import { encodeRequest, type BatchRecord, type BatchRequest } from '../src/batch/journal.ts'
import { outcomeFor } from '../src/batch/outcomes.ts'
import { BatchState } from '../src/batch/state.ts'
import { reasonOf } from '../src/batch/submitter.ts'
import { TaskCancelledError, TaskFailedError } from '../src/index.ts'
import { boats, json, scripted } from './support.ts'

const [boat] = boats(1) as [BatchRequest]
const speech: BatchRequest = {
  operation: 'textToSpeech',
  request: { model: 'audio_multilingual_v2', fields: {} },
}
const intent = { type: 'intent', index: 0, atMs: 5 } as const
const response = (outcome: 'accepted' | 'repeat' | 'dropped' | 'denied' | 'uncertain', rest: object = {}) =>
  ({ type: 'answer', index: 0, outcome, ...rest }) as const
const abandoned = { type: 'abandoned', index: 0, reason: 'Aborted.' } as const
const succeeded = { type: 'succeeded', index: 0, files: [], throttledMs: 0 } as const

const stateOf = (records: readonly BatchRecord[], request = boat) =>
  BatchState.from([{ type: 'request', index: 0, request: encodeRequest(request, 0) }, ...records])
const itemOf = (...records: readonly BatchRecord[]) => stateOf(records).items[0]!
const handle = () => scripted([json({})]).media.task('a')

describe('the state of a request', () => {
  it.each([
    ['denied', [response('denied')], { phase: 'denied', unknown: 0 }],
    ['open', [response('dropped')], { phase: 'open', unknown: 0, repeats: 0 }],
    ['open', [response('repeat')], { phase: 'open', unknown: 1, repeats: 1 }],
    ['uncertain', [response('uncertain')], { phase: 'uncertain', unknown: 1, repeats: 0 }],
    // The earlier submission may have been accepted.
    ['uncertain', [response('repeat'), intent, response('denied')], { phase: 'uncertain', unknown: 1 }],
    ['open', [response('repeat'), intent, response('dropped')], { phase: 'open', unknown: 1 }],
    ['uncertain', [response('repeat'), abandoned], { phase: 'uncertain', unknown: 1, reason: 'Aborted.' }],
  ] as const)('is %s after the responses %j', (_phase, responses, expected) => {
    expect(itemOf(intent, ...responses)).toMatchObject(expected)
  })

  it('adds up the throttled time and the changes of replaced tasks', () => {
    const replaces = { id: 'a', failure: 'INTERNAL', throttledMs: 5 }
    const first = [intent, response('accepted', { taskId: 'a' })]
    const next = [{ ...intent, replaces, changes: { duration: 4 } }, response('accepted', { taskId: 'b' })]
    expect(itemOf(...first, ...next, { ...succeeded, throttledMs: 7 })).toMatchObject({
      taskId: 'b',
      replaced: [replaces],
      price: { min: 48, max: 48 },
      throttledMs: 12,
    })
    const unknown = { ...replaces, id: 'another' }
    expect(() => itemOf(...first, { ...intent, replaces: unknown })).toThrow('record 4 submits requests[0]')
    const failed = {
      type: 'failed',
      index: 0,
      failure: 'INTERNAL',
      cancelled: false,
      throttledMs: 0,
    } as const
    expect(() => itemOf(...first, failed, { ...intent, replaces })).toThrow('record 5 submits requests[0]')
  })

  it.each([
    [[intent], { min: 0, max: 24, unpriced: 0 }],
    [[intent, response('accepted')], { min: 24, max: 24, unpriced: 0 }],
    [[intent, response('denied')], { min: 0, max: 0, unpriced: 0 }],
    [[intent, response('dropped')], { min: 0, max: 0, unpriced: 0 }],
    [[intent, response('uncertain')], { min: 0, max: 24, unpriced: 0 }],
    [[intent, response('repeat'), intent, response('accepted')], { min: 24, max: 48, unpriced: 0 }],
  ])('costs, after %j, %j', (records, credits) => {
    expect(stateOf(records).creditsSoFar()).toEqual(credits)
    const { unpriced, max } = stateOf(records, speech).creditsSoFar()
    expect([unpriced, max], 'without a known price').toEqual([credits.max / 24, 0])
  })

  it.each([
    [{ type: 'merged' }],
    [{ type: 'batch', version: 2, total: 1, atMs: 0 }],
    [intent, { ...response('accepted'), outcome: 'postponed' }],
  ])('says that a newer version wrote %j', (...records) => {
    expect(() => stateOf(records as BatchRecord[])).toThrow(
      '`journal` contains a record that this version of the package does not know. Upgrade the package to the version that ' +
        'last wrote to the journal.',
    )
  })

  const complete = { type: 'batch', version: 1, total: 1, atMs: 0 } as const
  const request = { type: 'request', index: 1, request: encodeRequest(boat, 1) } as const
  it.each([
    [[null], 'record 2 is not a record of a batch'],
    [['hello'], 'record 2 is not a record of a batch'],
    [[{ index: 0 }], 'record 2 is not a record of a batch'],
    [[{ ...request, request: null }], 'record 2 lacks a field, or has an invalid one'],
    [[{ ...request, index: 7 }], 'record 2 adds requests[7], although requests[1] is next'],
    [[complete, request], 'record 3 adds a request to a complete batch'],
    [[complete, complete], 'record 3 completes the batch for the second time'],
    [[{ ...complete, total: 3 }], 'record 2 says that the batch has 3 requests, but the journal contains 1'],
    [[{ ...intent, index: 3 }], 'record 2 is about requests[3], which is not recorded'],
    [[intent, intent], 'record 3 submits requests[0], although that request is in the phase `sending`'],
    [
      [response('accepted')],
      'record 2 contains a response to requests[0], although that request is in the phase `open`',
    ],
    [[intent, abandoned], 'record 3 abandons requests[0], although that request is in the phase `sending`'],
    [[succeeded], 'record 2 ends requests[0], although that request is in the phase `open`'],
    [
      [intent, { type: 'reported', index: 0 }],
      'record 3 reports the outcome of requests[0], although that request is in the phase `sending`',
    ],
    [
      [{ type: 'reported', index: 0 }],
      'record 2 reports the outcome of requests[0], although that request is in the phase `open`',
    ],
  ])('rejects %j, and names the record', (records, clause) => {
    expect(() => stateOf(records as BatchRecord[])).toThrow(
      `\`journal\` contains records that do not form a batch: ${clause}. Pass the journal of a batch.`,
    )
  })

  it('names the cause of unreadable records', () => {
    const unreadable = (() => {
      try {
        return stateOf([response('accepted')])
      } catch (error) {
        return error
      }
    })()
    expect(unreadable).toMatchObject({ option: 'journal', cause: { name: 'TypeError' } })
  })
})

describe('the outcome of a request whose task has ended', () => {
  it('rebuilds the error of a task that failed in an earlier process, and prefers the original one', () => {
    const accepted = [intent, response('accepted', { taskId: 'a' })]
    const failed = (failure: string, cancelled: boolean) =>
      itemOf(...accepted, { type: 'failed', index: 0, failure, cancelled, throttledMs: 0 })
    const errorOf = (item: ReturnType<typeof failed>, failure?: TaskFailedError) =>
      (outcomeFor(0, boat, item, { handle: handle(), failure }) as { error?: unknown }).error
    const internal = errorOf(failed('INTERNAL', false))
    expect(TaskFailedError.is(internal)).toBe(true)
    expect(internal).toMatchObject({ id: 'a', reason: 'INTERNAL', advice: 'retry' })
    const gone = errorOf(failed('', true))
    expect(TaskCancelledError.is(gone)).toBe(true)
    expect(gone).not.toHaveProperty('status')
    expect(errorOf(failed('CANCELLING', true))).toMatchObject({ status: 'CANCELLING' })
    const original = new TaskFailedError({ id: 'a', status: 'FAILED', failure: 'INTERNAL' })
    expect(errorOf(failed('INTERNAL', false), original)).toBe(original)
  })
})

it('the message of an error is shortened for the journal', () => {
  expect(reasonOf('no')).toBe('no')
  expect(reasonOf(new Error('x'.repeat(500)))).toBe('x'.repeat(500))
  expect(reasonOf(new Error('x'.repeat(501)))).toBe(`${'x'.repeat(500)}...`)
})
