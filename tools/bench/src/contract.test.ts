import { describe, expect, it } from 'vitest'

import { completedJob, contractExample, countValues, submission } from './contract.ts'

describe('examples of the contract', () => {
  it('finds a completed job with about twenty values in the contract', () => {
    expect(completedJob()).toMatchObject({
      status: 'completed',
      result: { data: expect.any(Object) as object },
    })
    expect(countValues(completedJob())).toBeGreaterThanOrEqual(20)
    expect(submission()).toMatchObject({ status: 'queued' })
  })

  it('names the example that the contract lacks', () => {
    expect(() => contractExample('get', '/v1/jobs/{job_id}', 'paused')).toThrow('has no example `paused`')
  })
})

describe('countValues', () => {
  it('counts values, not the arrays and objects around them', () => {
    expect(countValues({ a: 1, b: { c: null, d: [true, 'x'] }, e: {} })).toBe(4)
  })
})
