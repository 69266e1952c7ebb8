import { describe, expect, it } from 'vitest'

import { at, planted, readDocument } from '../document.ts'
import type { JsonObject } from '../document.ts'
import { statusProblems, unexplainedLimits } from './operations.ts'

const document = readDocument('extraction/openapi.yaml')
const getJob = '/paths/~1v1~1jobs~1{job_id}/get'
const plant = (mistake: (copy: JsonObject) => void) => planted(document, mistake)

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

  it('explain how to add a missing `default`, and accept errors with schemas of any name', () => {
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

it('finds a 429 that does not say what it means', () => {
  const mistaken = plant((copy) => {
    delete at(copy, '/components/responses/PageOrRateLimit')['x-rate-meaning']
  })
  expect(unexplainedLimits(mistaken)).toEqual(['/paths/~1v1~1process/post: 429 has no x-rate-meaning'])
})
