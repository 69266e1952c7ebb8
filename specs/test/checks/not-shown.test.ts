import { describe, expect, it } from 'vitest'

import { at, planted, readDocument } from '../document.ts'
import type { Json } from '../document.ts'
import {
  closedOpenPlaces,
  openStatusProblems,
  silentOpenPlaces,
  unlabelledIllustrations,
} from './not-shown.ts'

const document = readDocument('extraction/openapi.yaml')
const set = (pointer: string, key: string, value: Json) =>
  planted(document, (copy) => {
    at(copy, pointer)[key] = value
  })

it.each([
  ['an enum', '/components/schemas/PreviewDocument/properties/status', 'enum', ['completed']],
  [
    'a format',
    '/components/schemas/OptimizationRequest/properties/training_documents/items',
    'format',
    'uri',
  ],
  ['a range', '/components/schemas/Metadata/properties/review_percentage', 'maximum', 100],
  ['a default', '/components/schemas/ProcessDocumentRequest/properties/include_pages', 'default', 'false'],
  ['closedness', '/components/schemas/StepTimings', 'additionalProperties', false],
  ['a reference', '/components/schemas/PageData', '$ref', '#/components/schemas/ExtractedFields'],
])('finds an open place that %s settles', (_, pointer, key, value) => {
  expect(closedOpenPlaces(set(pointer, key, value))).toEqual([`${pointer}: is open, but ${key} settles it`])
})

it('lets a status with moves keep its values, where only moves are open', () => {
  const pointer = '/components/schemas/JobStatus'
  expect(closedOpenPlaces(set(pointer, 'x-not-shown', ['Other moves.']))).toEqual([])
  const still = planted(document, (copy) => {
    Object.assign(at(copy, '/components/schemas/Pipeline'), { 'x-not-shown': ['Others.'] })
  })
  expect(closedOpenPlaces(still)).toEqual(['/components/schemas/Pipeline: is open, but enum settles it'])
})

it('lets an open place have an open enum', () => {
  const pointer = '/components/schemas/PreviewDocument/properties/status'
  const opened = planted(document, (copy) => {
    Object.assign(at(copy, pointer), { enum: ['completed'], 'x-open-enum': true })
  })
  expect(closedOpenPlaces(opened)).toEqual([])
})

it('finds an open schema that does not say why it is open', () => {
  const silent = planted(document, (copy) => {
    delete at(copy, '/components/schemas/PipelineList')['x-not-shown']
  })
  expect(silentOpenPlaces(silent)).toEqual(['/components/schemas/PipelineList: is open without x-not-shown'])
})

it('finds an example of an open place that looks like a fact', () => {
  const body = '/paths/~1v1~1pipelines/get/responses/200/content/application~1json'
  expect(unlabelledIllustrations(set(`${body}/examples/names`, 'summary', 'The pipelines'))).toEqual([
    `${body}/examples/names: shows an open place without saying that it is an illustration`,
  ])
})

describe('an open success status', () => {
  const getJob = '/paths/~1v1~1jobs~1{job_id}/get/responses/200'
  const problem = `${getJob}: x-not-shown of a success has to begin with its status ("The status ...")`

  it.each([
    ['another open place alone', ['Whether a `Retry-After` header is sent.']],
    ['its status in the second place', ['Whether a header is sent.', 'The status of a success.']],
    ['a word with the same beginning', ['The statuses of later answers.']],
  ])('is not claimed by %s', (_, sentences) => {
    expect(openStatusProblems(set(getJob, 'x-not-shown', sentences))).toEqual([problem])
  })

  it('may be followed by what else is open there, and other answers may say what they like', () => {
    const more = ['The status of a success; 200 is written here.', 'Whether a header is sent.']
    expect(openStatusProblems(set(getJob, 'x-not-shown', more))).toEqual([])
    const error = '/components/responses/FileTooLarge'
    expect(openStatusProblems(set(error, 'x-not-shown', ['The words.']))).toEqual([])
  })

  it('is found behind a reference, and at a webhook', () => {
    const referred = planted(document, (copy) => {
      at(copy, '/components/responses')['Found'] = { description: 'x', 'x-not-shown': ['The words.'] }
      at(copy, getJob.replace('/200', ''))['200'] = { $ref: '#/components/responses/Found' }
    })
    expect(openStatusProblems(referred)).toEqual([problem])
    const webhook = '/webhooks/jobCompleted/post/responses/200'
    expect(openStatusProblems(set(webhook, 'x-not-shown', ['The body.']))).toEqual([
      problem.replace(getJob, webhook),
    ])
  })
})
