import { describe, expect, it } from 'vitest'

import { planted, readDocument } from '../document.ts'
import { bodilessResponses, invalidExamples, judgeOf, missingExamples, previewProblems } from './examples.ts'

const document = readDocument('extraction/openapi.yaml')
const jobBody = '/paths/~1v1~1jobs~1{job_id}/get/responses/200/content/application~1json'
const form = '/paths/~1v1~1process/post/requestBody/content/multipart~1form-data'
const bodyOf = (name: string) => `/components/responses/${name}/content/application~1json`

const plant = (pointer: string, key: string, value?: unknown) => planted(document, pointer, key, value)

describe('invalid examples', () => {
  it.each([
    ['a body of a response', `${jobBody}/examples/queued/value`, 'status', 'waiting'],
    ['a request body', `${form}/examples/fields/value`, 'webhook_url', 'http://hooks.example/'],
    ['a shared error', `${bodyOf('BadRequest')}/examples/invalid_schema`, 'value', {}],
    ['a default', `${bodyOf('OtherError')}/examples/other`, 'value', 'no object'],
    ['a path parameter', '/components/parameters/JobId/examples/job', 'value', 'not-a-uuid'],
    [
      'a webhook',
      '/webhooks/jobCompleted/post/requestBody/content/application~1json/examples/completed/value',
      'event',
      'job.failed',
    ],
    ['a schema', '/components/schemas/ProcessDocumentRequest/properties/include_pages', 'examples', [true]],
  ])('finds the invalid example of %s', (_, pointer, key, value) => {
    expect(invalidExamples(plant(pointer, key, value))).not.toEqual([])
  })

  it('names the place of an invalid example, and the reason', () => {
    const found = invalidExamples(plant(`${jobBody}/examples/queued/value`, 'status'))
    expect(found).toEqual([`${jobBody}/examples/queued: / must have required property 'status'`])
  })
})

describe('missing examples', () => {
  it.each([
    ['a body of a response', jobBody],
    ['a request body', form],
    ['a shared error', bodyOf('ServerError')],
    ['a path parameter', '/components/parameters/PreviewToken'],
  ])('finds %s without an example', (_, pointer) => {
    const found = missingExamples(plant(pointer, 'examples'))
    expect(found).toEqual([`${pointer}: has no named example`])
  })

  it.each(['summary', 'value'])('finds an example without a %s', (key) => {
    const found = missingExamples(plant(`${jobBody}/examples/queued`, key))
    expect(found).toEqual([`${jobBody}/examples/queued: has no summary or no value`])
  })

  it('finds a response without a body', () => {
    const found = bodilessResponses(plant('/paths/~1v1~1pipelines/get/responses/200', 'content'))
    expect(found).toEqual(['/paths/~1v1~1pipelines/get/responses/200: has no body'])
  })

  it.each([
    ['takes a success whose body is open', '200', ['The status.', 'The body.'], 0],
    ['finds a success that says something else is open', '200', ['The status.'], 1],
    ['finds an error whose body is open', 'default', ['The body.'], 1],
  ])('%s', (_, status, sentences, problems) => {
    const found = bodilessResponses(
      plant('/paths/~1v1~1pipelines/get/responses', status, {
        description: 'x',
        'x-not-shown': sentences,
      }),
    )
    expect(found).toHaveLength(problems)
  })
})

describe('text_preview in examples', () => {
  it.each([
    ['is not the start of the text', 'completed', 'Something else'],
    ['is shorter than the text', 'completed', '# Invoice'],
    ['is short beside a text_url', 'completed_large_text', '# Invoice'],
  ])('finds a `text_preview` that %s', (_, name, value) => {
    const found = previewProblems(plant(`${jobBody}/examples/${name}/value/result`, 'text_preview', value))
    expect(found).toEqual([
      `${jobBody}/examples/${name}/value/result: text_preview is not the start of the text`,
    ])
  })
})

describe('judging by a contract', () => {
  it('accepts an unknown value of an open enum, but not another type', () => {
    const judge = judgeOf(document)
    expect(judge('/components/schemas/DeviceTokenErrorCode', 'slow_down')).toEqual([])
    expect(judge('/components/schemas/DeviceTokenErrorCode', 5)).toEqual(['/ must be string'])
  })

  it('does not change the document', () => {
    const copy = structuredClone(document)
    judgeOf(copy)
    expect(copy).toEqual(document)
  })
})
