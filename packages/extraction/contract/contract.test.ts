import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { createContractSuite, type WalkStepResult } from '@concord/contract'
import { writeReports } from '@concord/contract-kit'

import { extractionSubject } from './subject.ts'
import { extractionWalk } from './walk.ts'

// Many exchanges in one test; a busy machine must not fail it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const suite = await createContractSuite({ spec: 'extraction', subject: extractionSubject() })
afterAll(async () => {
  await suite.close()
  await writeReports(new URL('../reports/', import.meta.url), suite.report())
})

describe('the client against the contract', () => {
  it.each(suite.checks)('$name', async ({ run }) => {
    expect(await run()).toEqual([])
  })
})

describe('the emulator against the contract', () => {
  let steps: readonly WalkStepResult[]
  beforeAll(async () => {
    await using served = await extractionWalk()
    steps = await suite.walk(served.walk)
  })

  it('keeps to the contract on every step of the walk', () => {
    const wrong = steps.filter(({ findings }) => findings.length > 0)
    expect(wrong.map(({ name, findings }) => ({ name, findings }))).toEqual([])
  })

  it('is also judged by Prism’s proxy, but for submissions, whose bytes Prism would corrupt', () => {
    const exchanges = steps.flatMap((one) => one.exchanges)
    const direct = exchanges.filter((one) => !one.throughPrism).map((one) => one.operation)
    expect(new Set(direct)).toEqual(new Set(['processDocument']))
    expect(exchanges.length).toBeGreaterThan(direct.length)
  })
})

it('everything that the contract documents is covered', () => {
  expect(suite.report().problems).toEqual([])
})
