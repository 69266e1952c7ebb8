import { describe, expect, it } from 'vitest'

import { completedJob, contractExample, countValues, submission } from './contract.ts'

describe('examples of the contract', () => {
  it('include the measured job with about twenty values', () => {
    expect(completedJob()).toMatchObject({
      status: 'completed',
      result: { data: expect.any(Object) as object },
    })
    expect(countValues(completedJob())).toBeGreaterThanOrEqual(20)
    expect(submission()).toMatchObject({ status: 'queued' })
  })

  it('are reported by name if the contract has no such example', () => {
    expect(() => contractExample('get', '/v1/jobs/{job_id}', 'paused')).toThrow('has no example paused')
  })
})

describe('countValues', () => {
  it('counts values, not the arrays and objects around them', () => {
    expect(countValues({ a: 1, b: { c: null, d: [true, 'x'] }, e: {} })).toBe(4)
  })
})
