import { mkdir, writeFile } from 'node:fs/promises'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import {
  createContractSuite,
  htmlPage,
  junitXml,
  terminalTable,
  type WalkStepResult,
} from '@concord/contract'

import { extractionSubject } from './subject.ts'
import { extractionWalk } from './walk.ts'

// Many exchanges in one test; a busy machine must not fail it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const suite = await createContractSuite({ spec: 'extraction', subject: extractionSubject() })
afterAll(async () => {
  await suite.close()
  const report = suite.report()
  const folder = new URL('../reports/', import.meta.url)
  await mkdir(folder, { recursive: true })
  await writeFile(new URL('contract.json', folder), JSON.stringify(report, null, 2))
  await writeFile(new URL('contract.html', folder), htmlPage(report))
  await writeFile(new URL('contract.xml', folder), junitXml(report))
  await writeFile(new URL('contract.txt', folder), terminalTable(report))
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
