import { describe, expect, it } from 'vitest'

import { at, planted, readDocument, type JsonObject } from '../document.ts'
import { statusProblems, unexplainedLimits } from './operations.ts'

const document = readDocument('extraction/openapi.yaml')
const getJob = '/paths/~1v1~1jobs~1{job_id}/get'

describe('statuses', () => {
  const success = at(document, `${getJob}/responses/200`)
  const other = { $ref: '#/components/responses/OtherError' }
  it.each<[what: string, status: string, mistake?: unknown]>([
    ['a range', '4XX', other],
    ['a missing success', '200'],
    ['a missing default', 'default'],
    ['a default that is a success', 'default', success],
    ['an error with the body of a success', '404', success],
    ['an error without a body', '404', { description: 'No.' }],
  ])('finds %s', (_, status, mistake) => {
    expect(statusProblems(planted(document, `${getJob}/responses`, status, mistake))).toHaveLength(1)
  })

  it('explains how to add a missing `default`, and accepts errors with schemas of any name', () => {
    const missing = planted(document, `${getJob}/responses`, 'default')
    expect(statusProblems(missing)).toEqual([
      `${getJob}: has no response \`default\`; add one for the errors that the documentation doesn't list`,
    ])
    const renamed = JSON.parse(JSON.stringify(document).replaceAll('ErrorBody', 'Problem')) as JsonObject
    expect(statusProblems(renamed)).toEqual([])
  })

  it('finds a range at a webhook', () => {
    const responses = '/webhooks/jobCompleted/post/responses'
    const mistaken = planted(document, responses, '2XX', at(document, `${responses}/200`))
    expect(statusProblems(mistaken)).toEqual(['/webhooks/jobCompleted/post: 2XX is not a number'])
  })
})

it('finds a 429 that does not say what it means', () => {
  const mistaken = planted(document, '/components/responses/PageOrRateLimit', 'x-rate-meaning')
  expect(unexplainedLimits(mistaken)).toEqual(['/paths/~1v1~1process/post: 429 has no x-rate-meaning'])
})
