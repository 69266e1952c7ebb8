import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createContractSuite, type ContractSuite } from '../src/index.ts'
import { libraryFile, librarySubject } from './fixture/client.ts'

describe('a client that is right', () => {
  let suite: ContractSuite
  beforeAll(async () => {
    suite = await createContractSuite({ spec: libraryFile.href, subject: librarySubject() })
    await suite.runAll()
  })
  afterAll(() => suite.close())

  it('passes, and nothing that the spec documents is missing', () => {
    const report = suite.report({ skip: ['emulator'] })
    expect(report.problems).toEqual([])
    expect(report.passed).toBe(true)
    console.log(JSON.stringify(report.totals))
  })
})
