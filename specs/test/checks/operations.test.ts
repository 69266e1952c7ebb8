import { describe, expect, it } from 'vitest'

import { at, planted, readDocument } from '../document.ts'
import type { JsonObject } from '../document.ts'
import {
  operationsWithoutRetry,
  outcomeProblems,
  publicOperations,
  rateMeaningProblems,
  statusProblems,
} from './operations.ts'

const document = readDocument('extraction/openapi.yaml')
const getJob = '/paths/~1v1~1jobs~1{job_id}/get'
const plant = (mistake: (copy: JsonObject) => void) => planted(document, mistake)

describe('public operations', () => {
  it('counts one that asks for no key', () => {
    const opened = plant((copy) => {
      at(copy, getJob)['security'] = []
    })
    expect(publicOperations(opened)).toContain('getJob')
  })

  it('counts one whose key is optional', () => {
    const opened = plant((copy) => {
      at(copy, getJob)['security'] = [{ apiKey: [] }, {}]
    })
    expect(publicOperations(opened)).toContain('getJob')
  })

  it('counts all of them where the document asks for nothing', () => {
    const opened = plant((copy) => {
      delete copy['security']
    })
    const written = JSON.stringify(opened['paths']).match(/"operationId":/g)
    expect(publicOperations(opened)).toHaveLength(written?.length ?? 0)
  })
})

describe('statuses', () => {
  it.each([
    [
      'a range',
      (responses: JsonObject) => (responses['4XX'] = { $ref: '#/components/responses/OtherError' }),
    ],
    ['a missing success', (responses: JsonObject) => delete responses['200']],
    ['a missing default', (responses: JsonObject) => delete responses['default']],
    [
      'a default that is a success',
      (responses: JsonObject) => (responses['default'] = responses['200'] ?? null),
    ],
    [
      'an error with the body of a success',
      (responses: JsonObject) => (responses['404'] = responses['200'] ?? null),
    ],
    ['an error without a body', (responses: JsonObject) => (responses['404'] = { description: 'No.' })],
  ])('finds %s', (_, mistake) => {
    expect(
      statusProblems(
        plant((copy) => {
          mistake(at(copy, `${getJob}/responses`))
        }),
      ),
    ).toHaveLength(1)
  })

  it('say what to do about a missing `default`, and let errors have schemas of any name', () => {
    const missing = plant((copy) => delete at(copy, `${getJob}/responses`)['default'])
    expect(statusProblems(missing)).toEqual([
      `${getJob}: has no response \`default\`; add one for the errors that the documentation doesn't list`,
    ])
    const renamed = JSON.parse(JSON.stringify(document).replaceAll('ErrorBody', 'Problem')) as JsonObject
    expect(statusProblems(renamed)).toEqual([])
  })

  it('finds a range at a webhook', () => {
    const mistaken = plant((copy) => {
      const responses = at(copy, '/webhooks/jobCompleted/post/responses')
      responses['2XX'] = responses['200'] ?? null
    })
    expect(statusProblems(mistaken)).toEqual(['/webhooks/jobCompleted/post: 2XX is not a number'])
  })
})

it('finds an operation that does not say whether it may be sent again', () => {
  const mistaken = plant((copy) => {
    delete at(copy, getJob)['x-retry']
  })
  expect(operationsWithoutRetry(mistaken)).toEqual([`${getJob}: has no x-retry`])
})

describe('outcomes', () => {
  const submit = '/paths/~1v1~1process/post'

  it('finds an operation that changes something and has none', () => {
    const mistaken = plant((copy) => {
      delete at(copy, submit)['x-outcome']
    })
    expect(outcomeProblems(mistaken)).toEqual([`${submit}: has no x-outcome`])
  })

  it('finds one at an operation that is safe', () => {
    const mistaken = plant((copy) => {
      at(copy, getJob)['x-outcome'] = { again: 'repeats' }
    })
    expect(outcomeProblems(mistaken)).toEqual([`${getJob}: is safe but has an x-outcome`])
  })

  it('finds one that points to an unknown operation, or to an id that is not always there', () => {
    const mistaken = plant((copy) => {
      at(copy, submit)['x-outcome'] = { id: '/job', lookUp: 'listJobs' }
    })
    expect(outcomeProblems(mistaken)).toEqual([
      `${submit}: listJobs is not an operation`,
      `${submit}: a success does not always have /job`,
    ])
  })
})

describe('rate meanings', () => {
  const limit = '/components/responses/PageOrRateLimit'

  it('finds a 429 without one', () => {
    const mistaken = plant((copy) => {
      delete at(copy, limit)['x-rate-meaning']
    })
    expect(rateMeaningProblems(mistaken)).toEqual(['/paths/~1v1~1process/post: 429 has no x-rate-meaning'])
  })

  it('finds one at another status', () => {
    const mistaken = plant((copy) => {
      at(copy, '/components/responses/FileTooLarge')['x-rate-meaning'] =
        at(copy, limit)['x-rate-meaning'] ?? null
    })
    expect(rateMeaningProblems(mistaken)).toEqual([
      '/paths/~1v1~1process/post: 413 is not a 429 but has an x-rate-meaning',
    ])
  })

  it('finds a match that comes too late to be read first', () => {
    const mistaken = plant((copy) => {
      const meanings = at(copy, limit)['x-rate-meaning']
      if (Array.isArray(meanings)) meanings.reverse()
    })
    expect(rateMeaningProblems(mistaken)).toEqual([
      '/paths/~1v1~1process/post: 429 has a match after a meaning without one',
    ])
  })
})
