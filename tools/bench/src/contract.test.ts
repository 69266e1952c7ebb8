import { describe, expect, it } from 'vitest'

import { completedJob, contractExample, countValues, submission } from './contract.ts'

describe('contract examples', () => {
  it('takes the measured job from the contract, and it has about twenty values', () => {
    expect(completedJob()).toMatchObject({
      status: 'completed',
      result: { data: expect.any(Object) as object },
    })
    expect(countValues(completedJob())).toBeGreaterThanOrEqual(20)
    expect(submission()).toMatchObject({ status: 'queued' })
  })

  it('says what is missing when the contract has no such example', () => {
    expect(() => contractExample('get', '/v1/jobs/{job_id}', 'paused')).toThrow('has no example paused')
  })

  it('counts values, not the arrays and objects that hold them', () => {
    expect(countValues({ a: 1, b: { c: null, d: [true, 'x'] }, e: {} })).toBe(4)
  })
})
