import { expect, it } from 'vitest'

import { ContractError, describeClient, type DescribeClientOptions } from '../src/index.ts'
import { libraryFile } from './fixture/client.ts'
import { feedFile } from './fixture/feed/feed-client.ts'

class Library {
  readonly withResponse = {}
  close(): Promise<void> {
    return Promise.resolve()
  }
}

const options: DescribeClientOptions = { spec: libraryFile.href, client: Library }

it('describeClient needs a test runner, and knows its options', async () => {
  const run = { describe: () => {}, it: () => {}, afterAll: () => {} }
  const failureOf = async (given: object): Promise<unknown> =>
    describeClient({ ...options, ...given }).catch((error: unknown) => error)
  const lacking = await failureOf({ ...run, afterAll: undefined })
  expect(lacking).toBeInstanceOf(ContractError)
  expect(lacking).toMatchObject({
    message: expect.stringContaining('needs `describe`, `it` and `afterAll`'),
  })
  expect(await failureOf({ ...run, schema: {} })).toMatchObject({
    message: expect.stringContaining('no option `schema`'),
  })
  expect(await failureOf({ ...run, spec: undefined })).toMatchObject({
    message: expect.stringContaining('no contract to test against'),
    remedy: expect.stringContaining('as `sockets`'),
  })
  const withReport = { sockets: feedFile.href, channels: {}, fidelity: 'fidelity.json' }
  expect(await failureOf({ ...run, ...withReport, spec: undefined })).toMatchObject({
    message: expect.stringContaining('uses `fidelity` only for'),
    remedy: expect.stringContaining('as `spec`'),
  })
  expect(await failureOf({ ...run, sockets: feedFile.href })).toMatchObject({
    message: expect.stringContaining('needs `channels`'),
    remedy: expect.stringContaining('import * as channels'),
  })
})

it('describeClient makes a test of everything that the contract documents, without Prism', async () => {
  const names: string[] = []
  const ends: (() => Promise<void>)[] = []
  const suite = await describeClient({
    ...options,
    describe: (name, define) => {
      names.push(name)
      define()
    },
    it: (name) => names.push(name),
    afterAll: (end) => ends.push(end),
  })
  expect(names).toEqual(['Library against Library', ...suite.checks.map(({ name }) => name)])
  // Without `schemas`, there is nothing to compare with the schemas of components.
  expect(names.filter((name) => name.startsWith('schema '))).toEqual([])
  const [first] = suite.checks.filter(({ column }) => column === 'mock')
  expect((await first?.run())?.map(({ message }) => message)).toEqual([
    expect.stringMatching(/The client has no operation `\w+`/),
  ])
  for (const end of ends) await end()
})
