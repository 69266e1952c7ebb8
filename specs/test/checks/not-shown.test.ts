import { expect, it } from 'vitest'

import { at, planted, readDocument } from '../document.ts'
import type { Json } from '../document.ts'
import { closedOpenPlaces, silentOpenPlaces, unlabelledIllustrations } from './not-shown.ts'

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
