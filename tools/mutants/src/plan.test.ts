import { describe, expect, it } from 'vitest'

import { openMutants, type Plan, Progress } from './plan.ts'

const plan: Plan = {
  mode: 'mutants',
  mutants: ['1', '2', '3'],
  slowestTestMs: 100,
  tests: {
    fast: { name: 'fast', file: 'a.test.ts', durationMs: 1, steps: 6, hits: { 1: 1, 2: 5, 4: 1 } },
    slow: { name: 'slow', file: 'a.test.ts', durationMs: 101, steps: 1, hits: { 3: 1 } },
  },
}

describe('the mutants that a test still has to run with', () => {
  it('runs a test with the mutants that it reaches, if it is fast enough for the round', () => {
    expect(openMutants(plan, new Progress(), 'fast')).toEqual(['1', '2'])
    expect(openMutants(plan, new Progress(), 'slow')).toEqual([])
    expect(openMutants({ ...plan, slowestTestMs: 101 }, new Progress(), 'slow')).toEqual(['3'])
    expect(openMutants(plan, new Progress(), 'unknown')).toEqual([])
  })

  it('skips mutants that a test has killed, and those that survived this test', () => {
    const progress = new Progress([
      { kind: 'killed', test: 'other', mutant: '1' },
      { kind: 'survived', test: 'other', mutant: '2' },
    ])
    expect(openMutants(plan, progress, 'fast')).toEqual(['2'])
    progress.add({ kind: 'unreached', test: 'fast', mutant: '2' })
    expect(openMutants(plan, progress, 'fast')).toEqual([])
  })

  it('starts with a mutant that failed before, since nothing may run before it', () => {
    const progress = new Progress([{ kind: 'suspect', test: 'fast', mutant: '2' }])
    expect(openMutants(plan, progress, 'fast')).toEqual(['2', '1'])
  })
})
