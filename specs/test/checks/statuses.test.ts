import { describe, expect, it } from 'vitest'

import { at, planted, readDocument } from '../document.ts'
import type { JsonObject } from '../document.ts'
import { transitionProblems, waiterProblems } from './statuses.ts'

const document = readDocument('extraction/openapi.yaml')
const getJob = '/paths/~1v1~1jobs~1{job_id}/get'
const status = '/components/schemas/JobStatus'

const withWaiter = (change: JsonObject) =>
  planted(document, (copy) => {
    Object.assign(at(copy, `${getJob}/x-waiter`), change)
  })
const withMoves = (...moves: { from: string | null; to: string }[]) =>
  planted(document, (copy) => {
    at(copy, status)['x-transitions'] = moves
  })

describe('waiters', () => {
  it.each([
    ['a status that is not there', { status: '/state' }, `${getJob}: /state is not an enum of the success`],
    ['a forgotten value', { pending: ['queued'] }, `${getJob}: processing has to be in one list of x-waiter`],
    [
      'a value in two lists',
      { success: ['completed', 'failed'] },
      `${getJob}: failed has to be in one list of x-waiter`,
    ],
    [
      'a value that does not exist',
      { failure: ['failed', 'lost'] },
      `${getJob}: lost is not a value of the status`,
    ],
  ])('find %s', (_, change, problem) => {
    expect(waiterProblems(withWaiter(change))).toEqual([problem])
  })
})

describe('transitions', () => {
  const begin = { from: null, to: 'queued' }
  const work = { from: 'queued', to: 'processing' }
  const finish = { from: 'processing', to: 'completed' }
  const fail = { from: 'processing', to: 'failed' }

  it.each([
    [
      'an unknown value',
      [begin, work, finish, fail, { from: 'processing', to: 'lost' }],
      'lost is not a value',
    ],
    ['a value that nothing leads to', [begin, work, finish], 'no move leads to failed'],
    ['a move from an unreachable status', [work, finish, fail], 'nothing leads to queued before it is left'],
  ])('find %s', (_, moves, problem) => {
    expect(transitionProblems(withMoves(...moves))).toContain(`${status}: ${problem}`)
  })

  it('may be some of many where it is said that others are not shown', () => {
    const some = planted(withMoves(begin, work), (copy) => {
      at(copy, status)['x-not-shown'] = ['All other moves.']
    })
    expect(transitionProblems(some)).toEqual([])
    expect(transitionProblems(withMoves(begin, work))).not.toEqual([])
  })

  it('may end where the wire shows nothing any more', () => {
    const end = { from: 'completed', to: null }
    const ended = planted(document, (copy) => {
      at(copy, status)['x-transitions'] = [begin, work, finish, fail, end]
      delete at(copy, getJob)['x-waiter']
    })
    expect(transitionProblems(ended)).toEqual([])
  })

  it('are looked at for their order alone where the states are not on the wire', () => {
    const moved = (...moves: JsonObject[]) =>
      transitionProblems(
        planted(document, (copy) => {
          at(copy, '/components/schemas/DeviceCode/properties/device_code')['x-transitions'] = moves
        }),
      )
    const use = { from: 'issued', to: 'used' }
    expect(moved({ from: null, to: 'issued' }, use)).toEqual([])
    expect(moved(use)).toEqual([
      '/components/schemas/DeviceCode/properties/device_code: nothing leads to issued before it is left',
    ])
  })

  it('find a move out of a value that ends the wait', () => {
    expect(
      transitionProblems(withMoves(begin, work, finish, fail, { from: 'failed', to: 'queued' })),
    ).toEqual([`${getJob}: failed is final for the waiter but has a move out of it`])
  })

  it('find a status that is waited for and has none', () => {
    const mistaken = planted(document, (copy) => {
      delete at(copy, status)['x-transitions']
    })
    expect(transitionProblems(mistaken)).toEqual([`${getJob}: its status has no x-transitions`])
  })
})
