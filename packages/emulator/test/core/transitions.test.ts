import { describe, expect, it } from 'vitest'

import { loadSpecification, readSpecification } from '../../src/core/specification.ts'
import { readFinalStatuses, readTransitions } from '../../src/core/transitions.ts'

const specification = loadSpecification('extraction/openapi.yaml')

describe('the moves between states', () => {
  it('are exactly those that the contract lists', () => {
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
      'The contract has no transition from queued to failed for JobStatus.',
    )
  })

  it('must be in the contract, like the final states', () => {
    expect([...readFinalStatuses(specification, 'getJob')]).toEqual(['completed', 'failed'])
    expect([...readFinalStatuses(specification, 'getOptimizationJob')]).toEqual([
      'completed',
      'failed',
      'cancelled',
    ])
    expect(() => readFinalStatuses(specification, 'listBlueprints')).toThrow('does not describe waiting')
    expect(() => readTransitions(readSpecification({ openapi: '3.1.0' }), 'JobStatus')).toThrow(
      'lists no transitions for JobStatus',
    )
  })
})
