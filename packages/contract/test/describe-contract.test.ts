import { describe, expect, it } from 'vitest'

import { describeContract, type MockedResponse } from '../src/index.ts'
import { libraryFile } from './fixture/client.ts'

import { library, headers, record } from './fixture/record.ts'

describe('describeContract', () => {
  const define = (options: Parameters<typeof describeContract>[0]): Map<string, string> => {
    const results = new Map<string, string>()
    let group = ''
    describeContract({
      describe: (name, run) => {
        group = name
        run()
      },
      it: (name, run) => {
        try {
          run()
          results.set(`${group} > ${name}`, 'pass')
        } catch (error) {
          results.set(`${group} > ${name}`, (error as Error).message)
        }
      },
      ...options,
    })
    return results
  }
  const responses: MockedResponse[] = [
    { operation: 'getBook', status: 200, body: { id: 'b1', title: 'One', state: 'free' } },
    { operation: 'getBook', status: 200, name: 'lent book', body: { id: 'b1', title: 7, state: 'gone' } },
    { operation: 'getStatus', status: 500, body: { detail: 'No.' } },
    { operation: 'getText', status: 200, body: 'Once' },
    { operation: 'removeBook', status: 204 },
    { operation: 'getBook', status: 418, body: {} },
  ]

  it('defines one test for each operation and status, and each failure has locations and reasons', () => {
    expect([...define({ spec: library, responses })]).toEqual([
      [
        'contract: Library > getBook 200: all 2 responses are as documented',
        'getBook 200 violates the contract of Library.\nlent book: response.body/title: must be string\nlent book: response.body/state: must be one of ["free","lent"]',
      ],
      ['contract: Library > getStatus 500: the response is as documented', 'pass'],
      ['contract: Library > getText 200: the response is as documented', 'pass'],
      ['contract: Library > removeBook 204: the response is as documented', 'pass'],
      [
        'contract: Library > getBook 418: the response is as documented',
        'getBook 418 violates the contract of Library.\nresponse 6: response.status: 418 is not documented for getBook; documented: 200, 401, 404',
      ],
      ['contract: Library > enough responses were found', 'pass'],
    ])
  })

  it('names an option that it does not have, since nothing would be checked with a misspelled one', () => {
    const misspelled = { spec: library, response: responses }
    expect(() => define(misspelled)).toThrow(
      'describeContract() has no option `response`. Valid options: spec, sockets, recordings, responses,',
    )
  })

  it('checks recordings in both directions', async () => {
    const har = await record(async (url) => {
      await fetch(`${url}/v1/books/?sort=size`, { headers })
      await fetch(`${url}/v1/unknown`, { headers })
    })
    const results = define({ spec: library, recordings: har })
    expect([...results.values()]).toEqual([
      'listBooks 200 violates the contract of Library.\nthe recording, entry 1: request.query.sort: must be one of ["title","year"]',
      'GET /v1/unknown 404 violates the contract of Library.\nthe recording, entry 2: request.path: no operation is documented for GET /v1/unknown',
      'pass',
    ])
  })

  it('fails if it checks nothing, or less than required', async () => {
    const har = await record((url) => fetch(`${url}/v1/status`))
    const elsewhere = define({ spec: library, recordings: har, baseUrl: 'https://other.example' })
    expect([...elsewhere.values()]).toEqual([
      expect.stringMatching(
        /for 0 of 8 operations .* at least one is required. 1 recorded .* is `baseUrl` right\?/,
      ),
    ])
    expect(() => define({ spec: library, recordings: har, baseUrl: 'api.example' })).toThrow(
      'The base URL of the recorded service is not an absolute URL. Pass `baseUrl` as, for example, `https://api.example.com/v1`.',
    )
    const sockets = {
      log: { ...har.log, entries: har.log.entries.map((one) => ({ ...one, _resourceType: 'websocket' })) },
    }
    expect([...define({ spec: library, recordings: sockets }).values()]).toEqual([
      expect.stringMatching(/at least one is required\. No response was found for: listBooks,/),
    ])
    expect([...define({ spec: library, recordings: har, minCoverage: 20 }).values()]).toEqual([
      'pass',
      expect.stringMatching(
        /^Responses were found for 1 of 8 operations and channels \(12 %\), but 20 % are required. No response was found for: listBooks,/,
      ),
    ])
  })

  it('explains invalid options', () => {
    const thrown = (options: object): string => {
      try {
        define(options)
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    expect(thrown({})).toMatch(/without a contract.*Pass `spec`/)
    expect(thrown({ spec: library, responses: [{ operation: 'getBooks', status: 200 }] })).toMatch(
      /no operation `getBooks`. It has: listBooks, addBook/,
    )
    expect(thrown({ spec: library, recordings: '/no/such.har' })).toMatch(
      /The file \/no\/such.har does not exist/,
    )
    expect(thrown({ spec: library, describe: undefined })).toMatch(
      /needs `describe` and `it`.*Import them from the test runner/,
    )
  })
})

// The tests below are real ones, of this runner.
describeContract({
  describe,
  it,
  spec: libraryFile.href,
  responses: [{ operation: 'getBook', status: 404, body: { detail: 'There is no such book.' } }],
})
