import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { createContractSuite, type WalkStepResult } from '@concord/contract'
import { writeReports } from '@concord/contract-kit'

import { mediaSubject } from './subject.ts'
import { mediaWalk } from './walk.ts'

// Many exchanges in one test; a busy machine must not fail it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const suite = await createContractSuite({ spec: 'media', subject: mediaSubject() })
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
    await using served = await mediaWalk()
    steps = await suite.walk(served.walk)
  })

  it('keeps to the contract on every step of the walk', () => {
    const wrong = steps.filter(({ findings }) => findings.length > 0)
    expect(wrong.map(({ name, findings }) => ({ name, findings }))).toEqual([])
  })

  it('is also judged by Prism’s proxy', () => {
    const exchanges = steps.flatMap((one) => one.exchanges)
    expect(exchanges.length).toBeGreaterThan(0)
    expect(exchanges.filter((one) => !one.throughPrism)).toEqual([])
  })
})

it('everything that the contract documents is covered', () => {
  expect(suite.report().problems).toEqual([])
})
