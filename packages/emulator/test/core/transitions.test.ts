import { expect, it } from 'vitest'

import { loadSpecification, readSpecification } from '../../src/core/specification.ts'
import { readFinalStatuses, readTransitions } from '../../src/core/transitions.ts'

const specification = loadSpecification('extraction/openapi.yaml')

it('readTransitions allows exactly the transitions that the contract lists', () => {
  const check = readTransitions(specification, 'JobStatus')
  const states = ['null', 'queued', 'processing', 'completed', 'failed']
  const allowed = states.flatMap((from) =>
    states.flatMap((to) => {
      try {
        check(from, to)
        return [`${from} ${to}`]
      } catch {
        return []
      }
    }),
  )
  expect(allowed).toEqual(['null queued', 'queued processing', 'processing completed', 'processing failed'])
  expect(() => check('queued', 'failed')).toThrow(
    'The contract has no transition from `queued` to `failed` for the schema `JobStatus`.',
  )
})

it('transitions and final statuses are read from the contract, which must have them', () => {
  expect([...readFinalStatuses(specification, 'getJob')]).toEqual(['completed', 'failed'])
  expect([...readFinalStatuses(specification, 'getOptimizationJob')]).toEqual([
    'completed',
    'failed',
    'cancelled',
  ])
  expect(() => readFinalStatuses(specification, 'listBlueprints')).toThrow(
    'has no `x-waiter` for the operation `listBlueprints`',
  )
  expect(() => readTransitions(readSpecification({ openapi: '3.1.0' }), 'JobStatus')).toThrow(
    'lists no transitions for the schema `JobStatus`',
  )
})
